// What the console's tools answer, as far as the page shows it.
export interface Named {
  id: string;
  handle: string;
  title: string;
}

export interface State {
  tx: number;
  at: string | null;
}

export interface Hit extends Named {
  kind: string;
  passage: string;
  start: number; // of the passage in the text, in letters
  highlights: [number, number][];
  place: Record<string, unknown>;
  document?: Named;
  created_at: string;
  updated_at: string;
  source: string | null;
  tags: string[];
  scores: { total: number | null; semantic: number | null; lexical: number | null };
  why: string;
}

export interface Found {
  hits: Hit[];
  triples: { handle: string; sentence: string }[];
  more: boolean;
  total: number;
  is_total: boolean;
  read_as: string | null;
  indexing: number;
}

export interface Tie extends Named {
  kind: string;
  type: string;
  predicate: string;
  weight: number;
  evidence: string | null;
  ghost: boolean;
}

export interface Change {
  field: string;
  before: string | null;
  after: string | null;
  cut: boolean;
}

export interface Version {
  tx: number;
  at: string;
  actor: string;
  operation: string;
  verb: string;
  why: string | null;
  undone_by: number | null;
  undoes: number | null;
  changes: Change[];
}

export interface Thing extends Named {
  kind: string;
  tx: number;
  body: string;
  body_start: number;
  body_cut: number;
  tags: string[];
  attributes: Record<string, unknown>;
  aliases: string[];
  created_at: string;
  updated_at: string;
  valid_from: string | null;
  valid_to: string | null;
  expires_at: string | null;
  source: string | null;
  state: string;
  held?: { reason: string; until: string | null };
  owner: "file" | "row";
  path?: string;
  document?: Named;
  sections?: (Named & { page?: number })[];
  sections_total?: number;
  ends?: { source: Tie; target: Tie };
  links_out: Tie[];
  links_out_total: number;
  links_in: Tie[];
  links_in_total: number;
  versions: Version[];
  versions_total: number;
  cited_by: Tie[];
  cited_by_total: number;
}

export interface PageShape {
  title: string;
  page: number;
  pages: number;
  width: number;
  height: number;
  picture: string | null;
}

export interface Line {
  tx: number;
  at: string;
  actor: string;
  sentence: string;
  subject: Named & { kind: string };
  changes: number;
  undone_by: number | null;
  undoes: number | null;
  why: string | null;
  can_undo: boolean;
}

export interface Journal {
  transactions: Line[];
  next_before: number | null;
  actors: string[];
  newest: State;
  oldest: State;
}

export interface Preview {
  tx: number;
  possible: boolean;
  reason: string;
  blocked_by: number | null;
  changes: (Named & { kind: string; effect: string; fields: Change[] })[];
  changes_total: number;
}

export interface Task {
  id: string;
  kind: string;
  priority: string;
  reason: string;
  found_at: string;
  sides: (Named & { kind: string; sentence: string; at: string | null; source: string | null })[];
  choices: { choice: string; label: string; tool: string; arguments: Record<string, unknown> }[];
}

export interface Board {
  tasks: Task[];
  total: number;
}

export interface Job {
  id: string;
  file: string;
  step: string;
  percent: number;
  state: string;
  done: number;
  total: number;
  created_at: string;
  reason: string | null;
  remaining_seconds: number | null;
  document: string | null;
  cancellable: boolean;
}

export interface GraphNode extends Named {
  kind: string;
  degree: number;
  distance: number;
  ghost: boolean;
}

export interface GraphEdge {
  source: string;
  target: string;
  type: string;
  predicate: string;
  weight: number;
}

export interface Neighbourhood {
  center: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  shown: number;
  total: number;
}

export interface Finding {
  name: string;
  well: boolean;
  detail: string;
  fix: string;
}

export interface Vital {
  name: string;
  value: number;
  limit: number;
  is_wanted: boolean;
  well: boolean;
  advice: string;
}

export interface ClientSetup {
  name: string;
  label: string;
  command: string | null;
  configuration: string;
  language: string;
  file: string;
  connect: string;
  needs: string;
}

export interface Health {
  version: string;
  collection: string;
  place: string | null;
  well: boolean;
  findings: Finding[];
  vitals: Vital[];
  sizes: Record<string, number>;
  backlog: Record<string, number>;
  callers: { actor: string; calls: number; last_at: string }[];
  open_in: { command: string; process: number; since: string }[];
  clients: ClientSetup[];
}

export interface Topic {
  id: string;
  name: string;
  terms: string[];
  count: number;
  trend: string;
  weeks: number[];
}

export interface Dream {
  at: string;
  completed: boolean;
  reason: string;
  dry_run: boolean;
  duration_ms: number;
  did: string[];
  recall_before: number | null;
  recall_after: number | null;
  path_length_before: number | null;
  path_length_after: number | null;
  tasks_opened: number;
  transactions: number[];
}

export interface MemoryState {
  memories: number;
  topics: Topic[];
  topics_total: number;
  topics_at: string | null;
  unsorted: number;
  asked: number;
  missed: { query: string; at: string; times: number; why: string }[];
  missed_total: number;
  dreams: number;
  is_dreaming: boolean;
  dream: Dream | null;
}

export interface NotesState {
  vaults: { name: string; there: boolean; notes: number; place: string | null }[];
  links: number;
  ghosts: number;
  broken: { note: string; target: string }[];
  broken_total: number;
  ambiguous: { note: string; target: string; meant: string[] }[];
  ambiguous_total: number;
  twins: { notes: string[] }[];
  twins_total: number;
  orphans: string[];
  orphans_total: number;
  warnings: string[];
  findings: Finding[];
}
