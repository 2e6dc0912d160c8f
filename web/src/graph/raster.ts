// A picture of very many nodes and links: links gather as heat in an image, nodes are written over it. No worker, no GPU.
import { GHOST, NO_TOPIC, type Graph } from "./columns";

export interface View {
  x: number; // what of the map is in the middle
  y: number;
  scale: number; // pixels of the image for one unit of the map
}

export interface Colours {
  paper: number; // as the image holds them: 0xAABBGGRR
  faded: number;
  nodes: Uint32Array; // by number of colour
  links: Uint32Array; // by type of link
}

/** What is shown, and how. */
export interface Look {
  colour: Uint8Array; // of each node: its number in `Colours.nodes`
  shown: Uint8Array; // of each node: 0 hidden, 1 faded, 2 shown
  linkType: Uint8Array; // of each relation: its number in `Colours.links`, 255 hidden
}

const COUNT = 0x0fff; // the lower bits of heat; above them is the type of the last link
const DARKEST = 0.85; // of a link's colour, so that nodes still stand out
const WHILE_MOVING = 4000; // links that are drawn before everything rests
const SLICE = 8; // milliseconds that are spent on further links at a time
const OFTEN = 256; // links between two looks at the clock

export class Raster {
  readonly width: number;
  readonly height: number;
  readonly image: ImageData;
  readonly screenX: Int32Array;
  readonly screenY: Int32Array;
  private readonly pixels: Uint32Array;
  private readonly heat: Uint16Array;
  private readonly tones = new Uint32Array(0x10000);
  private step = 1;
  private next = 0;

  constructor(
    readonly graph: Graph,
    width: number,
    height: number,
  ) {
    this.width = Math.max(1, width | 0);
    this.height = Math.max(1, height | 0);
    this.image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.heat = new Uint16Array(this.width * this.height);
    this.screenX = new Int32Array(graph.count);
    this.screenY = new Int32Array(graph.count);
  }

  /** How heat looks: from the paper towards the colour of a link's type, quickly at first. */
  tone(colours: Colours, strength: number): void {
    for (let type = 0; type < colours.links.length; type += 1) {
      const colour = colours.links[type]!;
      for (let count = 0; count <= COUNT; count += 1) {
        const share = count === 0 ? 0 : Math.min(DARKEST, strength * (0.25 + 0.16 * Math.log2(count)));
        if (share === DARKEST) {
          this.tones.fill(mix(colours.paper, colour, share), (type << 12) | count, ((type + 1) << 12) >>> 0);
          break;
        }
        this.tones[(type << 12) | count] = mix(colours.paper, colour, share);
      }
    }
  }

  place(view: View): void {
    const { x, y, count } = this.graph;
    const { screenX, screenY } = this;
    const left = this.width / 2 - view.x * view.scale;
    const top = this.height / 2 - view.y * view.scale;
    const { scale } = view;
    for (let node = 0; node < count; node += 1) {
      screenX[node] = (x[node]! * scale + left) | 0;
      screenY[node] = (y[node]! * scale + top) | 0;
    }
  }

  /** A few links, evenly from all: what is seen while everything moves. */
  begin(look: Look): void {
    this.heat.fill(0);
    this.step = Math.max(1, Math.ceil(this.graph.links / WHILE_MOVING));
    this.next = 0;
    for (let link = 0; link < this.graph.links; link += this.step) this.warm(link, look);
  }

  /** Some more of the links that were left; whether there are any more after that. */
  goOn(look: Look, slice = SLICE): boolean {
    if (this.step === 1) return false;
    const until = performance.now() + slice;
    const { links } = this.graph;
    while (this.next < links) {
      const stop = Math.min(links, this.next + OFTEN);
      for (; this.next < stop; this.next += 1) if (this.next % this.step !== 0) this.warm(this.next, look);
      if (performance.now() > until) break;
    }
    return this.next < links;
  }

  paint(look: Look, colours: Colours, size: number): void {
    const { pixels, heat, tones } = this;
    for (let at = 0; at < pixels.length; at += 1) pixels[at] = tones[heat[at]!]!;
    if (size <= 0) return;
    const { count, kind } = this.graph;
    for (let pass = 1; pass <= 2; pass += 1) {
      for (let node = 0; node < count; node += 1) {
        if (look.shown[node] !== pass) continue;
        const colour = pass === 1 ? colours.faded : colours.nodes[look.colour[node]!]!;
        this.mark(this.screenX[node]!, this.screenY[node]!, colour, size, kind[node] === GHOST);
      }
    }
  }

  /** The node nearest to a place in the image, if one is near. */
  nearest(x: number, y: number, reach: number, look: Look): number {
    let found = -1;
    let best = reach * reach;
    for (let node = 0; node < this.graph.count; node += 1) {
      if (look.shown[node] === 0) continue;
      const dx = this.screenX[node]! - x;
      const dy = this.screenY[node]! - y;
      const far = dx * dx + dy * dy;
      if (far < best || (far === best && look.shown[node] === 2)) [best, found] = [far, node];
    }
    return found;
  }

  private mark(x: number, y: number, colour: number, size: number, isGhost: boolean): void {
    const { width, height, pixels } = this;
    if (x < size || y < size || x >= width - size || y >= height - size) return;
    const at = y * width + x;
    if (size === 1 || isGhost) {
      // A cross; of a ghost without its middle.
      pixels[at] = isGhost ? pixels[at]! : colour;
      pixels[at - 1] = pixels[at + 1] = pixels[at - width] = pixels[at + width] = colour;
      return;
    }
    for (let down = 1 - size; down < size; down += 1) {
      for (let right = 1 - size; right < size; right += 1) {
        if (down * down + right * right < size * size - size * 0.5) pixels[at + down * width + right] = colour;
      }
    }
  }

  private warm(link: number, look: Look): void {
    const type = look.linkType[this.graph.relation[link]!]!;
    if (type === 255) return;
    const source = this.graph.sources[link]!;
    const target = this.graph.targets[link]!;
    if (look.shown[source] !== 2 || look.shown[target] !== 2) return;
    this.line(this.screenX[source]!, this.screenY[source]!, this.screenX[target]!, this.screenY[target]!, type << 12);
  }

  /** A line of heat, clipped to the image. */
  private line(x0: number, y0: number, x1: number, y1: number, type: number): void {
    const { width, height, heat } = this;
    if ((x0 < 0 && x1 < 0) || (y0 < 0 && y1 < 0) || (x0 >= width && x1 >= width) || (y0 >= height && y1 >= height)) return;
    const dx = x1 - x0;
    const dy = y1 - y0;
    let from = 0;
    let to = 1;
    if (dx !== 0) {
      const a = -x0 / dx;
      const b = (width - 1 - x0) / dx;
      from = Math.max(from, Math.min(a, b));
      to = Math.min(to, Math.max(a, b));
    }
    if (dy !== 0) {
      const a = -y0 / dy;
      const b = (height - 1 - y0) / dy;
      from = Math.max(from, Math.min(a, b));
      to = Math.min(to, Math.max(a, b));
    }
    if (from > to) return;
    const length = Math.max(Math.abs(dx), Math.abs(dy)) * (to - from);
    const steps = Math.max(1, Math.ceil(length));
    let x = x0 + from * dx + 0.5;
    let y = y0 + from * dy + 0.5;
    const stepX = ((to - from) * dx) / steps;
    const stepY = ((to - from) * dy) / steps;
    for (let at = 0; at <= steps; at += 1) {
      const place = (y | 0) * width + (x | 0);
      const held = heat[place]! & COUNT;
      heat[place] = type | (held < COUNT ? held + 1 : held);
      x += stepX;
      y += stepY;
    }
  }
}

export function mix(from: number, to: number, share: number): number {
  let mixed = 0xff000000;
  for (let shift = 0; shift < 24; shift += 8) {
    const low = (from >>> shift) & 255;
    mixed |= Math.round(low + (((to >>> shift) & 255) - low) * share) << shift;
  }
  return mixed >>> 0;
}

/** A colour as style sheets spell it when they are asked: rgb(1, 2, 3). */
export function parseColour(spelled: string): number {
  const parts = spelled.match(/[\d.]+/g)?.map(Number) ?? [];
  const isShare = spelled.startsWith("color(");
  const [red = 0, green = 0, blue = 0] = isShare ? parts.slice(0, 3).map((part) => part * 255) : parts;
  return (0xff000000 | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

export const spell = (colour: number): string => `rgb(${colour & 255} ${(colour >>> 8) & 255} ${(colour >>> 16) & 255})`;

export const TOPICS = 12; // so many topics have a colour of their own; chosen: as many as one tells apart

export const topicColour = (topic: number): number => (topic === NO_TOPIC || topic >= TOPICS ? TOPICS : topic);
