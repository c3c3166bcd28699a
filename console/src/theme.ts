// Light or dark, wide or small? As the system has it; the theme until somebody chooses.
import { signal } from "@preact/signals";

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const current = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");

export const theme = signal(current());
dark.addEventListener("change", () => {
  theme.value = current();
});

const small = matchMedia("(max-width: 640px)");
/** Whether it is a phone's window. */
export const isSmall = signal(small.matches);
small.addEventListener("change", () => {
  isSmall.value = small.matches;
});

export function turnTheme() {
  theme.value = root.dataset.theme = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem("theme", theme.value);
}
