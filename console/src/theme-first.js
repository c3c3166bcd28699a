// Before anything is painted: the theme that was chosen here, if one was.
const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
// And who looks on, asked while the scripts are on their way: nothing is shown before that is known.
globalThis.whoFirst = fetch("/api/auth/me");
