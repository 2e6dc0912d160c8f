import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DoorError, logIn } from "../door";
import { explain } from "../state";
import { t } from "../texts";

/** A token for a cookie that no script reads; the page keeps neither. */
export function Login({ entered }: { entered(): Promise<void> }) {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []); // there is nothing else to do here
  const submit = async (event: Event) => {
    event.preventDefault();
    setProblem("");
    try {
      await logIn(token);
      setToken("");
      await entered();
    } catch (error) {
      const isWrong = error instanceof DoorError && error.code === "unauthorized";
      setProblem(isWrong ? t.login.wrong : explain(error));
    }
  };
  return (
    <main class="alone">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1>{t.name}</h1>
        <p>
          {t.login.hint} <code>{t.login.command}</code>
        </p>
        <label>
          {t.login.token}
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
            required
          />
        </label>
        {problem && <p role="alert">{problem}</p>}
        <button class="main" type="submit">
          {t.login.enter}
        </button>
      </form>
    </main>
  );
}
