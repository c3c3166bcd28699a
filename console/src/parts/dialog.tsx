// How is something asked in between? In the browser's own dialog: Esc closes it, the focus returns.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface DialogProps {
  title: string;
  isWide?: boolean;
  /** What Esc and a click beside it do; without it, it stays. */
  onClose?: () => void;
  children: ComponentChildren;
  class?: string;
}

export function Dialog({ title, onClose, children, class: kind = "" }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={place}
      class={kind}
      aria-label={title}
      onCancel={event => {
        event.preventDefault();
        onClose?.();
      }}
      onKeyDown={event => event.stopPropagation()}
      onClick={event => {
        if (event.target === place.current) onClose?.();
      }}
    >
      <div class="sheet">{children}</div>
    </dialog>
  );
}

interface Question {
  title: string;
  text: ComponentChildren;
  yes: string;
  isBad?: boolean;
  answer: (yes: boolean) => void;
}

const question = signal<Question | null>(null);

/** Ask before something is lost. */
export function confirm(asking: Omit<Question, "answer">): Promise<boolean> {
  return new Promise(done => {
    question.value = {
      ...asking,
      answer: yes => {
        question.value = null;
        done(yes);
      },
    };
  });
}

export function Questions() {
  const asked = question.value;
  if (!asked) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <h2>{asked.title}</h2>
      <p class="dim">{asked.text}</p>
      <div class="acts">
        <button type="button" class="act" onClick={() => asked.answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          class={`act strong${asked.isBad ? " bad" : ""}`}
          onClick={() => asked.answer(true)}
        >
          {asked.yes}
        </button>
      </div>
    </Dialog>
  );
}
