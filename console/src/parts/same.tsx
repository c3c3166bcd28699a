// How does a program get the same? Every view names the command and the request.

import { tame } from "../words";
import { tell } from "./notice";

export async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    tell("Copied.");
  } catch {
    tell("The browser does not let pages copy here: select it and copy it yourself.", true);
  }
}

/** `command` and `request` are copied whole and shown cut. */
export function Same({ command, request }: { command: string; request?: string }) {
  return (
    <footer class="same">
      <p>
        The same in a terminal: <code>{tame(command, 160)}</code>
        <button type="button" class="quiet" onClick={() => copy(command)}>
          Copy<span class="sr"> the command</span>
        </button>
      </p>
      {request && (
        <p>
          For a program: <code>{tame(request, 160)}</code>
          <button type="button" class="quiet" onClick={() => copy(request)}>
            Copy<span class="sr"> the request</span>
          </button>
        </p>
      )}
    </footer>
  );
}
