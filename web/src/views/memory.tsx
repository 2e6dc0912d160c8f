import { useState } from "preact/hooks";
import { Problem, Time } from "../parts/small";
import { sayNumber, saySeconds } from "../logic/times";
import type { Dream, MemoryState, Topic } from "../shapes";
import { address, useAnswer } from "../state";
import { t } from "../texts";

const MOST = 50;
const FIRST = 12; // topics that are shown at first
const EVERY = 2000; // milliseconds: questions and dreams are no transactions

/** How the memory does: what it is about, what it was asked and did not know, and what its last dream did. */
export function Memory() {
  const { data, error } = useAnswer<MemoryState>("console_memory", { limit: MOST }, 0, EVERY);
  return (
    <section class="memory">
      <h1>{t.views.memory}</h1>
      <Problem text={error} />
      {data && (
        <>
          <p class="status">
            {t.memory.count(data.memories)}
            {data.is_dreaming && <span>{t.memory.dreaming}</span>}
          </p>
          <Topics state={data} />
          <Missed state={data} />
          <LastDream state={data} />
        </>
      )}
    </section>
  );
}

function Topics({ state }: { state: MemoryState }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? state.topics : state.topics.slice(0, FIRST);
  return (
    <section>
      <h2>{t.memory.topics}</h2>
      {state.topics.length === 0 && <p class="facts-of">{t.memory.noTopics}</p>}
      {state.topics.length > 0 && (
        <div class="scroll topics-of" tabIndex={0}>
          <table class="topics">
            <thead>
              <tr>
                <th>{t.memory.topic}</th>
                <th class="number">{t.memory.memories}</th>
                <th>{t.memory.weeks}</th>
                <th>{t.memory.trend}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((topic) => (
                <TopicRow key={topic.id} topic={topic} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < state.topics.length && <button onClick={() => setWhole(true)}>{t.memory.allTopics(sayNumber(state.topics.length))}</button>}
      {isWhole && state.topics.length < state.topics_total && (
        <p class="facts-of">{t.thing.of(state.topics.length, state.topics_total)}</p>
      )}
      {state.topics.length > 0 && (
        <p class="facts-of">
          {state.unsorted > 0 && <span>{t.memory.unsorted(state.unsorted)}</span>}
          {state.topics_at && (
            <span>
              {t.memory.seen} <Time at={state.topics_at} />
            </span>
          )}
        </p>
      )}
    </section>
  );
}

function TopicRow({ topic }: { topic: Topic }) {
  const about = topic.terms.filter((term) => !topic.name.toLowerCase().includes(term.toLowerCase()));
  return (
    <tr>
      <th scope="row">
        <a href={address("find", "", { q: topic.terms.join(" ") || topic.name, kinds: "memory" })}>{topic.name}</a>
        {about.length > 0 && <p class="facts-of">{about.join(", ")}</p>}
      </th>
      <td class="number">{sayNumber(topic.count)}</td>
      <td>
        <Weeks weeks={topic.weeks} />
      </td>
      <td class={`trend ${topic.trend}`}>{t.memory.trends[topic.trend] ?? topic.trend}</td>
    </tr>
  );
}

/** How many came each week, the newest at the right. */
function Weeks({ weeks }: { weeks: number[] }) {
  const most = Math.max(1, ...weeks);
  return (
    <svg class="weeks" viewBox={`0 0 ${weeks.length * 6} 20`} role="img" aria-label={t.memory.perWeek(weeks.join(", "))}>
      {weeks.map((count, index) => {
        const height = count === 0 ? 1 : Math.max(2, (20 * count) / most);
        return <rect key={index} x={index * 6} y={20 - height} width={4} height={height} />;
      })}
    </svg>
  );
}

function Missed({ state }: { state: MemoryState }) {
  return (
    <section>
      <h2>{t.memory.missed}</h2>
      {state.missed.length === 0 && <p class="facts-of">{t.memory.nothingMissed(state.asked)}</p>}
      <ul class="plain lines">
        {state.missed.map((each) => (
          <li key={each.query} class="line">
            <a href={address("find", "", { q: each.query })}>{each.query}</a>
            <span class="facts-of">
              {t.memory.whys[each.why] ?? each.why}
              {each.times > 1 && `, ${t.memory.times(each.times)}`}, <Time at={each.at} />
            </span>
          </li>
        ))}
      </ul>
      {state.missed.length < state.missed_total && (
        <p class="facts-of">{t.thing.of(state.missed.length, state.missed_total)}</p>
      )}
    </section>
  );
}

function LastDream({ state }: { state: MemoryState }) {
  const dream = state.dream;
  return (
    <section>
      <h2>{t.memory.dream}</h2>
      {dream === null ? <p class="facts-of">{t.memory.noDream}</p> : <DreamCard dream={dream} dreams={state.dreams} />}
    </section>
  );
}

function DreamCard({ dream, dreams }: { dream: Dream; dreams: number }) {
  return (
    <div class="card">
      <p class="line">
        <strong>{dream.completed ? t.memory.whole : t.memory.broken(dream.reason)}</strong>
        {dream.dry_run && <span class="facts-of">{t.memory.dry}</span>}
        <span class="facts-of">
          <Time at={dream.at} /> · {saySeconds(dream.duration_ms / 1000)} · {t.memory.dreams(dreams)}
        </span>
      </p>
      {dream.did.length === 0 && <p>{t.memory.didNothing}</p>}
      <ul>
        {dream.did.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {dream.recall_before !== null && dream.recall_after !== null && (
          <li>{t.memory.recall(share(dream.recall_before), share(dream.recall_after))}</li>
        )}
        {dream.path_length_before !== null && dream.path_length_after !== null && (
          <li>{t.memory.paths(dream.path_length_before.toFixed(1), dream.path_length_after.toFixed(1))}</li>
        )}
        {dream.tasks_opened > 0 && (
          <li>
            <a href={address("review")}>{t.memory.tasks(dream.tasks_opened)}</a>
          </li>
        )}
      </ul>
      {dream.transactions.length > 0 && (
        <p class="facts-of">
          {t.memory.changes}
          {dream.transactions.map((tx) => (
            <a key={tx} href={address("history", String(tx))}>
              {tx}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

const share = (value: number): string => `${Math.round(100 * value)} %`;
