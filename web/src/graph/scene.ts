// The map on the screen: what is looked at, how that is moved, and what stands over the picture of everything.
import { KINDS, GHOST, type Graph } from "./columns";
import { Raster, spell, type Colours, type Look, type View } from "./raster";

export interface Highlight {
  links: number[];
  nodes: number[];
}

export interface Listener {
  picked(node: number): void;
  opened(node: number): void;
  pointed(node: number): void;
  needed(nodes: number[]): void; // whose names are wanted
}

const FEW_NODES = 1500; // so many are drawn as circles with arrows between them, where one can tell them apart
const FEW_LINKS = 4000;
const LABELS = 60;
const LETTER = 6.6; // pixels, about
const UNNAMED = 14; // letters that a name has which is not known yet
const REST = 140; // milliseconds without a move, after which everything is drawn
const REACH = 14; // pixels around a node that are still meant for it
const ZOOM = 1.25;
const NEAREST = 60; // pixels for one unit
export const NONE: Highlight = { links: [], nodes: [] };

/** All nodes, the most linked first: sorted by counting, since comparing takes longer than the whole picture. */
export function byDegree(graph: Graph): Uint32Array<ArrayBuffer> {
  const most = graph.degree.reduce((most, degree) => Math.max(most, degree), 0);
  const next = new Uint32Array(most + 2);
  for (const degree of graph.degree) next[most - degree + 1]! += 1;
  for (let at = 1; at < next.length; at += 1) next[at]! += next[at - 1]!;
  const order = new Uint32Array(graph.count);
  for (let node = 0; node < graph.count; node += 1) order[next[most - graph.degree[node]!]!++] = node;
  return order;
}

export class Scene {
  view: View = { x: 0, y: 0, scale: 1 };
  private raster: Raster | undefined;
  private look: Look | undefined;
  private colours: Colours | undefined;
  private ink = "#000";
  private readonly order: Uint32Array;
  private labels: number[] = [];
  private near: number[] = []; // the visible nodes, where they are few
  private nearLinks: number[] = [];
  private highlight = NONE;
  private chosen = -1;
  private hovered = -1;
  private waiting = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  isMoving = false;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private travelled = 0;
  private readonly stop = new AbortController();
  private readonly watcher: ResizeObserver;

  constructor(
    readonly graph: Graph,
    private readonly base: HTMLCanvasElement,
    private readonly over: HTMLCanvasElement,
    private readonly names: ReadonlyMap<number, { title: string }>,
    private readonly listener: Listener,
  ) {
    this.order = byDegree(graph);
    this.listen();
    this.watcher = new ResizeObserver(() => this.moved());
    this.watcher.observe(over);
  }

  close(): void {
    this.stop.abort();
    this.watcher.disconnect();
    cancelAnimationFrame(this.waiting);
    clearTimeout(this.timer);
  }

  dress(look: Look, colours: Colours, ink: string): void {
    [this.look, this.colours, this.ink, this.raster] = [look, colours, ink, undefined];
    this.settle();
  }

  show(highlight: Highlight, chosen: number): void {
    [this.highlight, this.chosen] = [highlight, chosen];
    this.drawOver();
  }

  /** Everything, with a little room around it. */
  fit(): void {
    const { x, y, count } = this.graph;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let node = 0; node < count; node += 1) {
      left = Math.min(left, x[node]!);
      right = Math.max(right, x[node]!);
      top = Math.min(top, y[node]!);
      bottom = Math.max(bottom, y[node]!);
    }
    if (count === 0) return;
    const scale = 0.92 * Math.min(this.width / Math.max(3, right - left), this.height / Math.max(3, bottom - top));
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.min(scale, NEAREST) };
    this.settle();
  }

  focus(node: number): void {
    const scale = Math.max(this.view.scale, Math.min(NEAREST / 2, 14));
    this.view = { x: this.graph.x[node]!, y: this.graph.y[node]!, scale };
    this.settle();
  }

  zoom(by: number, at = { x: this.width / 2, y: this.height / 2 }): void {
    const { view } = this;
    const scale = Math.min(NEAREST, Math.max(0.02, view.scale * by));
    const [dx, dy] = [at.x - this.width / 2, at.y - this.height / 2];
    this.view = { x: view.x + dx / view.scale - dx / scale, y: view.y + dy / view.scale - dy / scale, scale };
    this.moved();
  }

  pan(dx: number, dy: number): void {
    this.view = { ...this.view, x: this.view.x - dx / this.view.scale, y: this.view.y - dy / this.view.scale };
    this.moved();
  }

  get width(): number {
    return this.over.clientWidth || 1;
  }

  get height(): number {
    return this.over.clientHeight || 1;
  }

  /** Whether nodes and links are drawn one by one. */
  get isNear(): boolean {
    return this.near.length <= FEW_NODES && this.nearLinks.length <= FEW_LINKS;
  }

  get shownLabels(): readonly number[] {
    return this.labels;
  }

  get visible(): { nodes: readonly number[]; links: readonly number[] } {
    return { nodes: this.near, links: this.nearLinks };
  }

  at(node: number): [number, number] {
    const { view } = this;
    const x = (this.graph.x[node]! - view.x) * view.scale + this.width / 2;
    return [x, (this.graph.y[node]! - view.y) * view.scale + this.height / 2];
  }

  /** Names have come. */
  named(): void {
    if (!this.isMoving) this.chooseLabels();
    this.drawOver();
  }

  private moved(): void {
    this.isMoving = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), REST);
    this.soon(() => this.draw());
  }

  private soon(act: () => void): void {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(act);
  }

  private settle(): void {
    this.isMoving = false;
    clearTimeout(this.timer);
    this.soon(() => {
      this.draw();
      this.chooseLabels();
      this.drawOver();
      this.goOn(0);
    });
  }

  private goOn(slices: number): void {
    const { raster, look } = this;
    if (!raster || !look || this.isMoving || this.isNear) return;
    const isMore = raster.goOn(look);
    if (!isMore || slices % 4 === 3) this.paint();
    if (isMore) this.soon(() => this.goOn(slices + 1));
  }

  /** How many pixels of the image a pixel of the page has: while moving one, at rest as many as the screen. */
  private get density(): number {
    return this.isMoving ? 1 : Math.min(2, devicePixelRatio || 1);
  }

  private draw(): void {
    const { look, colours, density } = this;
    if (!look || !colours) return;
    const width = Math.max(1, Math.round(this.width * density));
    const height = Math.max(1, Math.round(this.height * density));
    if (this.raster === undefined || this.raster.width !== width || this.raster.height !== height) {
      this.raster = new Raster(this.graph, width, height);
      this.raster.tone(colours, this.graph.links > 20_000 ? 0.55 : 0.8);
      [this.base.width, this.base.height] = [width, height];
    }
    this.raster.place({ ...this.view, scale: this.view.scale * density });
    this.lookAround();
    this.raster.begin(look);
    this.paint();
    this.drawOver();
    performance.mark("map drawn"); // for benchmarks
  }

  private paint(): void {
    const { raster, look, colours } = this;
    if (!raster || !look || !colours) return;
    const context = this.base.getContext("2d", { alpha: false })!;
    if (this.isNear) {
      context.fillStyle = spell(colours.paper);
      context.fillRect(0, 0, raster.width, raster.height);
      return;
    }
    const { scale } = this.view;
    raster.paint(look, colours, Math.round((scale < 2.5 ? 1 : scale < 8 ? 2 : scale < 14 ? 3 : 4) * this.density));
    context.putImageData(raster.image, 0, 0);
  }

  /** Which nodes and links are in sight, unless there are too many to tell apart. */
  private lookAround(): void {
    const { raster, look, graph } = this;
    this.near = [];
    this.nearLinks = [];
    if (!raster || !look) return;
    const { screenX, screenY, width, height } = raster;
    for (let node = 0; node < graph.count; node += 1) {
      const x = screenX[node]!;
      const y = screenY[node]!;
      if (look.shown[node] === 0 || x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
      this.near.push(node);
      if (this.near.length > FEW_NODES) return;
    }
    for (const node of this.near) {
      for (let link = graph.starts[node]!; link < graph.starts[node + 1]!; link += 1) {
        if (look.linkType[graph.relation[link]!] === 255 || look.shown[graph.targets[link]!] === 0) continue;
        this.nearLinks.push(link);
      }
      if (this.nearLinks.length > FEW_LINKS) return;
    }
  }

  /** Names for the most linked nodes in sight, as far as they stand beside each other. */
  private chooseLabels(): void {
    const { look, order } = this;
    if (!look) return;
    const taken: [number, number, number][] = [];
    this.labels = [];
    for (let at = 0; at < order.length && this.labels.length < LABELS; at += 1) {
      const node = order[at]!;
      if (look.shown[node] !== 2) continue;
      const [x, y] = this.at(node);
      if (x < 0 || y < 0 || x > this.width || y > this.height) continue;
      const title = this.names.get(node)?.title;
      const half = (LETTER * (title === undefined ? UNNAMED : short(title).length)) / 2;
      const top = y - radius(this, node);
      if (taken.some(([middle, height, width]) => Math.abs(middle - x) < half + width && Math.abs(height - top) < 18)) continue;
      taken.push([x, top, half]);
      this.labels.push(node);
    }
    const wanted = [...this.labels, ...this.highlight.nodes.slice(0, LABELS)].filter((node) => !this.names.has(node));
    if (wanted.length > 0) this.listener.needed(wanted);
  }

  private drawOver(): void {
    const { over, colours, look } = this;
    if (!colours || !look) return;
    const density = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [Math.round(this.width * density), Math.round(this.height * density)];
    if (over.width !== width || over.height !== height) [over.width, over.height] = [width, height];
    const context = over.getContext("2d")!;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    drawNear(this, context, { look, colours, ink: this.ink, ...this.marks });
  }

  get marks(): { highlight: Highlight; chosen: number; hovered: number; names: ReadonlyMap<number, { title: string }> } {
    return { highlight: this.highlight, chosen: this.chosen, hovered: this.hovered, names: this.names };
  }

  get dressed(): { look: Look; colours: Colours; ink: string } | undefined {
    return this.look && this.colours && { look: this.look, colours: this.colours, ink: this.ink };
  }

  private find(event: MouseEvent): number {
    const { raster, look } = this;
    if (!raster || !look) return -1;
    const density = raster.width / this.width;
    return raster.nearest(event.offsetX * density, event.offsetY * density, REACH * density, look);
  }

  private listen(): void {
    const { over } = this;
    const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void) =>
      over.addEventListener(type, act as EventListener, { signal: this.stop.signal, passive: false });
    on("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      this.travelled = this.pointers.size > 1 ? Infinity : 0;
    });
    on("pointermove", (event) => this.drag(event));
    for (const type of ["pointerup", "pointercancel"] as const) on(type, (event) => this.release(event));
    on("dblclick", (event) => {
      const node = this.find(event);
      if (node >= 0) this.listener.opened(node);
    });
    on("wheel", (event) => {
      // Whoever scrolls past means the page, not the map.
      if (!event.ctrlKey && document.activeElement !== over) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), { x: event.offsetX, y: event.offsetY });
    });
    on("keydown", (event) => this.press(event));
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      const node = this.find(event);
      if (node === this.hovered) return;
      this.hovered = node;
      this.listener.pointed(node);
      if (node >= 0 && !this.names.has(node)) this.listener.needed([node]);
      this.drawOver();
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) {
      const far = (place: { x: number; y: number }) => Math.max(10, Math.hypot(place.x - other.x, place.y - other.y));
      this.zoom(far(now) / far(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    } else {
      this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
      this.pan(now.x - before.x, now.y - before.y);
    }
    this.pointers.set(event.pointerId, now);
  }

  private release(event: PointerEvent): void {
    if (!this.pointers.delete(event.pointerId) || event.type === "pointercancel" || this.travelled > 5) return;
    this.listener.picked(this.find(event));
  }

  private press(event: KeyboardEvent): void {
    const far = 0.15 * Math.min(this.width, this.height);
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.pan(far, 0),
      ArrowRight: () => this.pan(-far, 0),
      ArrowUp: () => this.pan(0, far),
      ArrowDown: () => this.pan(0, -far),
      "+": () => this.zoom(ZOOM),
      "=": () => this.zoom(ZOOM),
      "-": () => this.zoom(1 / ZOOM),
      "0": () => this.fit(),
      Escape: () => this.listener.picked(-1),
      Enter: () => this.chosen >= 0 && this.listener.opened(this.chosen),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }
}

interface Drawn {
  look: Look;
  colours: Colours;
  ink: string;
  highlight: Highlight;
  chosen: number;
  hovered: number;
  names: ReadonlyMap<number, { title: string }>;
}

export const radius = (scene: Scene, node: number): number =>
  Math.min(4 + 1.4 * Math.sqrt(scene.graph.degree[node]!), 14, Math.max(3, scene.view.scale * 0.42));

export const short = (title: string): string => (title.length > 28 ? `${title.slice(0, 27)}…` : title);

/** What stands over the picture, and the whole picture where there is little of it: lines with arrows, circles, names. */
export function drawNear(scene: Scene, context: CanvasRenderingContext2D, drawn: Drawn): void {
  const { graph } = scene;
  const { look, colours, ink, highlight, names } = drawn;
  const near = scene.isNear ? scene.visible : { nodes: [], links: [] };
  const isMarked = highlight.links.length > 0;
  context.lineWidth = 1;
  for (const link of near.links) {
    const isFaded = isMarked || look.shown[graph.sources[link]!] !== 2 || look.shown[graph.targets[link]!] !== 2;
    context.globalAlpha = isFaded ? 0.18 : 0.7;
    arrow(scene, context, link, spell(colours.links[look.linkType[graph.relation[link]!]!]!));
  }
  context.globalAlpha = 1;
  context.lineWidth = 2.5;
  for (const link of highlight.links) arrow(scene, context, link, ink);
  const marked = new Set(highlight.nodes);
  for (const node of near.nodes) {
    context.globalAlpha = look.shown[node] === 2 && (!isMarked || marked.has(node)) ? 1 : 0.2;
    circle(scene, context, node, spell(colours.nodes[look.colour[node]!]!), spell(colours.paper));
  }
  context.globalAlpha = 1;
  if (!scene.isNear) for (const node of highlight.nodes) circle(scene, context, node, ink, spell(colours.paper));
  for (const [node, width] of [[drawn.hovered, 2], [drawn.chosen, 3]] as const) { // prettier-ignore
    if (node < 0) continue;
    const [x, y] = scene.at(node);
    context.strokeStyle = ink;
    context.lineWidth = width;
    context.beginPath();
    context.arc(x, y, radius(scene, node) + 3, 0, 7);
    context.stroke();
  }
  const pointed = [drawn.hovered, drawn.chosen].filter((node) => node >= 0);
  const others = (isMarked ? highlight.nodes : scene.shownLabels).slice(0, scene.isMoving ? LABELS / 2 : LABELS);
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.lineWidth = 3;
  context.lineJoin = "round";
  const taken: [number, number, number][] = []; // of each name its left, right and foot: no other is written over it
  for (const node of new Set([...pointed, ...others])) {
    const title = short(names.get(node)?.title ?? "");
    if (title === "") continue;
    const [x, middle] = scene.at(node);
    const y = middle - radius(scene, node) - 5;
    const half = context.measureText(title).width / 2;
    if (taken.some(([left, right, foot]) => x - half < right && x + half > left && Math.abs(y - foot) < 14)) continue;
    taken.push([x - half, x + half, y]);
    context.strokeStyle = spell(colours.paper);
    context.strokeText(title, x, y);
    context.fillStyle = ink;
    context.fillText(title, x, y);
  }
}

function circle(scene: Scene, context: CanvasRenderingContext2D, node: number, colour: string, paper: string): void {
  const [x, y] = scene.at(node);
  context.beginPath();
  context.arc(x, y, radius(scene, node), 0, 7);
  const isGhost = scene.graph.kind[node] === GHOST;
  context.fillStyle = isGhost ? paper : colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = isGhost ? colour : paper;
  context.setLineDash(isGhost ? [3, 2] : []);
  context.stroke();
  context.setLineDash([]);
}

export function ends(scene: Scene, link: number): [number, number, number, number] | undefined {
  const [source, target] = [scene.graph.sources[link]!, scene.graph.targets[link]!];
  const [x0, y0] = scene.at(source);
  const [x1, y1] = scene.at(target);
  const far = Math.hypot(x1 - x0, y1 - y0);
  const back = radius(scene, target) + 2;
  return far <= back ? undefined : [x0, y0, x1 - ((x1 - x0) * back) / far, y1 - ((y1 - y0) * back) / far];
}

function arrow(scene: Scene, context: CanvasRenderingContext2D, link: number, colour: string): void {
  const line = ends(scene, link);
  if (line === undefined) return;
  const [x0, y0, x1, y1] = line;
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  if (Math.hypot(x1 - x0, y1 - y0) > 14) {
    const turn = Math.atan2(y1 - y0, x1 - x0);
    for (const side of [-0.4, 0.4]) {
      context.moveTo(x1, y1);
      context.lineTo(x1 - 6 * Math.cos(turn + side), y1 - 6 * Math.sin(turn + side));
    }
  }
  context.stroke();
}

export const kindOf = (graph: Graph, node: number): string => KINDS[graph.kind[node]!]!;
