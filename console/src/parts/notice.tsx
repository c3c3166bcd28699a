// What came of an act? One sentence at the edge, which goes away by itself.
import { signal } from "@preact/signals";
import { forget, problemOf } from "../api";

interface Note {
  id: number;
  text: string;
  isBad: boolean;
}

const notes = signal<readonly Note[]>([]);
let last = 0;

export function tell(text: string, isBad = false) {
  const id = ++last;
  notes.value = [...notes.peek().slice(-3), { id, text, isBad }];
  setTimeout(
    () => {
      notes.value = notes.peek().filter(note => note.id !== id);
    },
    isBad ? 12_000 : 5_000,
  );
}

/** Do it, and say what came of it. True when it was done. */
export async function act<T>(doing: () => Promise<T>, done: string | ((found: T) => string)) {
  try {
    const found = await doing();
    forget();
    tell(typeof done === "string" ? done : done(found));
    return true;
  } catch (error) {
    tell(problemOf(error, "").detail, true);
    return false;
  }
}

export const Notices = () => (
  <div class="notices" role="status">
    {notes.value.map(note => (
      <p key={note.id} class={note.isBad ? "failed" : "done"}>
        {note.text}
      </p>
    ))}
  </div>
);
