// Beside the map: the node that is chosen, what it is linked to, and ways from it.
import { useEffect } from "preact/hooks";
import { Kind, ThingLink } from "../parts/small";
import { address } from "../state";
import { sayRelation } from "../logic/plain";
import { t } from "../texts";
import { kindOf } from "./scene";
import { isCause, stepsAt } from "./paths";
import type { Mapped } from "./use_map";
import type { Shown } from "../views/map";

const MOST = 60; // links that are listed; the thing itself has all

interface Acts {
  ask(numbers: readonly number[]): void;
  choose(node: number): void;
  begin(node: number): void;
  end(node: number): void;
  causes(direction: "causes" | "effects"): void;
  leave(): void;
}

interface Given {
  mapped: Mapped;
  chosen: number;
  from: number;
  shown: Shown | undefined;
  wants(link: number): boolean;
  acts: Acts;
}

export function NodePanel({ mapped, chosen, from, shown, wants, acts }: Given) {
  const { graph, names, answer } = mapped;
  const all = chosen < 0 ? [] : stepsAt(graph, mapped.incoming(), chosen, wants);
  const steps = all.slice(0, MOST);
  useEffect(() => acts.ask(steps.map((step) => step.node)), [chosen, graph]);
  const say = (node: number) => names.get(node)?.title ?? "…";
  const predicate = (link: number) => {
    const relation = answer.relations[graph.relation[link]!]!;
    return sayRelation(relation.predicate) || (t.map.types[relation.type] ?? relation.type);
  };
  const name = names.get(chosen);
  const isCausal = all.some((step) => isCause(answer.relations[graph.relation[step.link]!]!));
  return (
    <aside class="card" aria-label={t.map.chosen}>
      <div class="line">
        {chosen >= 0 && <Kind kind={kindOf(graph, chosen)} />}
        <button type="button" class="quiet" onClick={acts.leave}>
          {t.close}
        </button>
      </div>
      {chosen >= 0 && (
        <>
          <h2>{name && !name.ghost ? <ThingLink handle={name.handle}>{name.title}</ThingLink> : say(chosen)}</h2>
          <p class="row">
            {name && (
              <a class="button" href={address("graph", name.id)}>
                {t.map.around}
              </a>
            )}
            {from < 0 ? (
              <button type="button" onClick={() => acts.begin(chosen)}>
                {t.map.begin}
              </button>
            ) : (
              <button type="button" class="main" disabled={from === chosen} onClick={() => acts.end(chosen)}>
                {t.map.end(say(from))}
              </button>
            )}
            {isCausal && (
              <>
                <button type="button" onClick={() => acts.causes("causes")}>
                  {t.map.whatCauses}
                </button>
                <button type="button" onClick={() => acts.causes("effects")}>
                  {t.map.whatFollows}
                </button>
              </>
            )}
          </p>
        </>
      )}
      {from >= 0 && <p class="status">{t.map.chooseEnd(say(from))}</p>}
      {shown && shown.highlight.links.length > 0 && (
        <>
          <h2>{shown.told}</h2>
          <ol class="near-by">
            {shown.highlight.links.slice(0, MOST).map((link) => (
              <li key={link}>
                <button type="button" onClick={() => acts.choose(graph.sources[link]!)}>
                  {say(graph.sources[link]!)}
                </button>
                <span class="edge"> {predicate(link)} → </span>
                <button type="button" onClick={() => acts.choose(graph.targets[link]!)}>
                  {say(graph.targets[link]!)}
                </button>
              </li>
            ))}
          </ol>
        </>
      )}
      {chosen >= 0 && (
        <>
          <h2>{t.map.links(steps.length, all.length)}</h2>
          <ul class="near-by">
            {steps.map((step, index) => (
              <li key={index}>
                <span class="edge">
                  {graph.sources[step.link] === chosen ? "→ " : "← "}
                  {predicate(step.link)}{" "}
                </span>
                <button type="button" onClick={() => acts.choose(step.node)}>
                  {say(step.node)}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
