// Who is there? Name and password; and for everybody, how it goes.
import { useSignal } from "@preact/signals";
import { me, problemOf, request, whoAmI } from "../api";
import { compact, rate } from "../format";
import { now } from "../live";
import { Tile, Tiles } from "../parts/figures";
import { useTitle } from "../router";

/** Kept for the moment it takes to choose another one. */
let justTyped = "";

export default function LoginAddress() {
  // Whoever is logged in already has nothing to do here.
  return (
    <main id="main">
      <h1>You are logged in</h1>
      <p>
        <a class="link" href="/">
          To the overview
        </a>
      </p>
    </main>
  );
}

export function LoginPage() {
  useTitle("Log in");
  const mustChoose = me.value?.must_choose_password;
  return (
    <main id="main" class="login">
      <p class="brand">tenax</p>
      <section class="card" aria-label={mustChoose ? "Choose a password" : "Log in"}>
        <h1>{mustChoose ? "Choose a password" : "Log in"}</h1>
        {mustChoose ? <PasswordForm /> : <LoginForm name="" />}
      </section>
      {!mustChoose && (
        <p class="dim small">
          First start? The terminal that runs <code>tenax serve</code> printed a password for{" "}
          <code>admin</code>, good once. Others are added by <code>tenax user add NAME</code>.
        </p>
      )}
      <Figures />
    </main>
  );
}

function Figures() {
  const n = now.value;
  if (!n) return null;
  return (
    <Tiles label="How it goes">
      <Tile name="Pages a second" value={rate(n.a_second.pages)} more="now" />
      <Tile name="Stored" value={compact(n.pages)} more="pages" />
      <Tile name="Waiting" value={compact(n.states.pending)} more="URLs" />
    </Tiles>
  );
}

export function LoginForm({ name }: { name: string }) {
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    isBusy.value = true;
    problem.value = "";
    try {
      justTyped = String(given.get("password"));
      const body = { name: String(given.get("name")).trim(), password: justTyped };
      await request("POST", "/api/auth/login", body);
      await whoAmI();
    } catch (error) {
      problem.value = problemOf(error, "").detail;
    }
    isBusy.value = false;
  };
  return (
    <form class="form" onSubmit={submit}>
      <label>
        <span>Name</span>
        <input class="field" name="name" autocomplete="username" required defaultValue={name} />
      </label>
      <label>
        <span>Password</span>
        <input
          class="field"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
      </label>
      {problem.value && (
        <p class="failed small" role="alert">
          {problem.value}
        </p>
      )}
      <button type="submit" class="act strong" disabled={isBusy.value}>
        Log in
      </button>
    </form>
  );
}

function PasswordForm() {
  const problem = useSignal("");
  const isBusy = useSignal(false);
  const needsOld = !justTyped;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const chosen = String(given.get("new"));
    if (chosen !== given.get("again")) {
      problem.value = "These are two different passwords.";
      return;
    }
    isBusy.value = true;
    problem.value = "";
    try {
      const old = needsOld ? String(given.get("old")) : justTyped;
      await request("POST", "/api/auth/password", { old, new: chosen });
      // All sessions have ended with the old one.
      await request("POST", "/api/auth/login", { name: me.value?.name ?? "", password: chosen });
      justTyped = "";
      await whoAmI();
    } catch (error) {
      problem.value = problemOf(error, "").detail;
    }
    isBusy.value = false;
  };
  return (
    <form class="form" onSubmit={submit}>
      <p class="dim">The one you came with was good once.</p>
      {needsOld && (
        <label>
          <span>The one you came with</span>
          <input
            class="field"
            name="old"
            type="password"
            autocomplete="current-password"
            required
          />
        </label>
      )}
      <label>
        <span>New password</span>
        <input class="field" name="new" type="password" autocomplete="new-password" required />
      </label>
      <label>
        <span>The same again</span>
        <input class="field" name="again" type="password" autocomplete="new-password" required />
      </label>
      {problem.value && (
        <p class="failed small" role="alert">
          {problem.value}
        </p>
      )}
      <button type="submit" class="act strong" disabled={isBusy.value}>
        Choose it
      </button>
    </form>
  );
}
