import { useState } from "preact/hooks";
import { Copied, Facts, Findings, Problem, Time } from "../parts/small";
import { MCP } from "../door";
import { sayBytes, sayNumber } from "../logic/times";
import type { ClientSetup, Health as State, Vital } from "../shapes";
import { useAnswer, useApp } from "../state";
import { kindName, t } from "../texts";

const EVERY = 5000; // milliseconds: who calls and what waits are no transactions
const KINDS = ["entry", "entity", "note", "document", "section", "pattern", "memory", "conversation"];

/** Whether all is well, how much there is, what waits, who calls, and how a client is told of this server. */
export function Health() {
  const app = useApp();
  const [isThorough, setThorough] = useState(false);
  const asked = { url: new URL(MCP, location.origin).href, with_token: app.isClosed, ...(isThorough && { thorough: true }) };
  const { data, error } = useAnswer<State>("console_health", asked, 0, isThorough ? 0 : EVERY);
  return (
    <section class="health">
      <h1>{t.views.health}</h1>
      <Problem text={error} />
      {data && (
        <>
          <p class={`verdict ${data.well ? "well" : "ill"}`}>{data.well ? t.health.well : t.health.ill}</p>
          <div class="columns">
            <div>
              <h2>{t.health.findings}</h2>
              <Findings findings={data.findings} />
              <Vitals vitals={data.vitals} />
              {!isThorough && (
                <button onClick={() => setThorough(true)}>{t.health.thorough}</button>
              )}
            </div>
            <aside>
              <Sizes state={data} />
              <Backlog state={data} />
              <Callers state={data} />
            </aside>
          </div>
          <Clients clients={data.clients} />
        </>
      )}
    </section>
  );
}

function Vitals({ vitals }: { vitals: Vital[] }) {
  const ill = vitals.filter((each) => !each.well);
  return (
    <ul class="plain findings">
      {ill.map((each) => (
        <li key={each.name}>
          <p class="line">
            <span class="ill">✗</span>
            <strong>{each.name.replaceAll("_", " ")}</strong>
            <span class="facts-of">{t.health.limit(sayNumber(each.value), sayNumber(each.limit), each.is_wanted)}</span>
          </p>
          {each.advice && <p class="facts-of">{each.advice}</p>}
        </li>
      ))}
    </ul>
  );
}

function Sizes({ state }: { state: State }) {
  const { sizes } = state;
  const rows: [string, string][] = [
    ...KINDS.filter((kind) => (sizes[kind] ?? 0) > 0).map((kind): [string, string] => [t.health.many[kind] ?? kindName(kind), sayNumber(sizes[kind]!)]),
    [t.health.edges, sayNumber(sizes.edge ?? 0)],
    [t.health.transactions, sayNumber(sizes.transactions ?? 0)],
    [t.health.size, sayBytes(sizes.bytes ?? 0)],
    [t.health.collection, state.collection],
    [t.health.version, state.version],
    [t.health.place, state.place ?? ""],
  ];
  return <Facts title={t.health.stored} rows={rows} />;
}

function Backlog({ state }: { state: State }) {
  const names = ["working", "waiting", "passages", "failed"] as const;
  const rows = names
    .filter((name) => (state.backlog[name] ?? 0) > 0)
    .map((name): [string, string] => [t.health.backlogs[name], sayNumber(state.backlog[name]!)]);
  if (rows.length > 0) return <Facts title={t.health.backlog} rows={rows} />;
  return (
    <section>
      <h2>{t.health.backlog}</h2>
      <p class="facts-of">{t.health.noBacklog}</p>
    </section>
  );
}

function Callers({ state }: { state: State }) {
  return (
    <section>
      <h2>{t.health.callers}</h2>
      <ul class="plain">
        {state.callers.map((each) => (
          <li key={each.actor} class="line">
            <span>{each.actor}</span>
            <span class="facts-of">
              {t.health.calls(each.calls)}, <Time at={each.last_at} />
            </span>
          </li>
        ))}
        {state.open_in.map((each) => (
          <li key={each.process} class="line">
            <code>{each.command}</code>
            <span class="facts-of">
              {t.health.process(each.process)}, <Time at={each.since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Clients({ clients }: { clients: ClientSetup[] }) {
  const [name, setName] = useState("");
  const chosen = clients.find((each) => each.name === name) ?? clients[0];
  if (chosen === undefined) return null;
  return (
    <section class="card clients">
      <h2>{t.health.connect}</h2>
      <label>
        {t.health.client}
        <select value={chosen.name} onChange={(event) => setName(event.currentTarget.value)}>
          {clients.map((each) => (
            <option key={each.name} value={each.name}>
              {each.label}
            </option>
          ))}
        </select>
      </label>
      {chosen.needs && <p role="note">{t.health.needs(chosen.needs)}</p>}
      {chosen.command && <Copied title={t.health.run} text={chosen.command} />}
      <Copied title={t.health.write} text={chosen.connect} />
      <Copied title={t.health.file(chosen.file)} text={chosen.configuration} />
    </section>
  );
}
