// Written by `python -m console.api_types` from the API's document: do not edit it.

export type Access = "allow_all" | "disallow_all" | "rules";

/** Something that was changed by the API. */
export interface ActFacts {
  at: string;
  who: string;
  what: string;
  status: number;
}

export interface AlertJson {
  id: number;
  what: string;
  /** Which worker, site, sink or product; null for all together. */
  about: string | null;
  told: string;
  value: number;
  /** `raised`, `silenced` or `cleared`. */
  state: string;
  since: string;
  raised_at: string | null;
  cleared_at: string | null;
  silent_until: string | null;
  /** Who was told of what: `raised:mail`. */
  heard: string[];
}

/** What somebody may do by the API (API-3). */
export type ApiRole = "admin" | "anonymous" | "user";

/** The record of one try at a target (FE-12). */
export interface Attempt {
  at: string;
  outcome: string;
  status: number | null;
  ttfb_ms: number;
  total_ms: number;
  bytes: number;
  client: string;
  address: string | null;
  /** The URLs of the redirects followed, first to last; empty when there were none. */
  chain: string[];
  error: string | null;
  /** The name of the proxy it went through; empty when it went directly. */
  proxy: string | null;
  /** The fault, reason or verdict behind its outcome, as a word; `error` tells it to people. */
  cause: string | null;
  /** From the first byte of the answer to its last; of several hops, the last one's. */
  download_ms: number;
  /** Kilobits a second while it came; 0 when it came at once, or not at all. */
  kbps: number;
  /** What an error answered, as far as that is kept (`fetch.error_bodies`). */
  body: string | null;
}

export interface AuditAnswer {
  whole: boolean;
  findings: Finding[];
  /** When it began. */
  at: string;
}

export interface AuditSums {
  by_states: number;
  by_hosts: number;
  adds_up: boolean;
  /** Of the last look at every row; null when this server made none. */
  last: AuditAnswer | null;
}

/** Whether a host that stopped answering is asked again (HOST-3). */
export interface Breaker {
  /** Back-offs begun since it was last closed; 0 when it is closed. */
  trips: number;
  /** When the back-off ends and a probe may be sent. */
  until: string | null;
  /** Successes since then. */
  passed: number;
  /** Of two views of a host, the one that changed last is right. */
  changed_at: string | null;
}

export interface ChangedJob {
  job: string;
  state: JobState;
  /** URLs; the sum over `states`. */
  known: number;
  pages: number;
  /** Pages that are to be visited again. */
  to_visit_again: number;
  /** URLs that are left to do. */
  pending: number;
  waiting_for_browser: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
  /** Null while it does not run. */
  visits_per_second: number | null;
  /** Seconds that this and the four below are about. */
  measured_over: number;
  visits: number;
  failures: number;
  bytes: number;
  /** Null when nobody can tell. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  next_run_at: string | null;
  /** Hosts that are likely to take longest. */
  queues: LongQueue[];
  waiting: HostWait[];
  /** What it was asked to do. */
  spec: JobSpec;
  /** New seeds that are not crawled. */
  refused: UrlRefused[];
}

export interface ClearedFrontier {
  job: string;
  /** URLs, by this request. */
  cleared: number;
  /** False when the request is to be repeated. */
  is_whole: boolean;
}

/** Who asks, from the cheapest to the dearest (FE-9). */
export type Client = "browser" | "curl" | "http";

/** What a host has set in a job, by name; what the cookies say, nobody is told. */
export interface CookieNames {
  job_id: number;
  job: string;
  names: string[];
  changed_at: string;
}

export interface CreatedJob {
  job: string;
  state: JobState;
  /** URLs; the sum over `states`. */
  known: number;
  pages: number;
  /** Pages that are to be visited again. */
  to_visit_again: number;
  /** URLs that are left to do. */
  pending: number;
  waiting_for_browser: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
  /** Null while it does not run. */
  visits_per_second: number | null;
  /** Seconds that this and the four below are about. */
  measured_over: number;
  visits: number;
  failures: number;
  bytes: number;
  /** Null when nobody can tell. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  next_run_at: string | null;
  /** Seeds that are not crawled. */
  refused: UrlRefused[];
}

/** Pages filed by date under one path (DISC-2). Periods are 2025 for a year, 202503 for a month; they stand in order. */
export interface DateArchive {
  /** The path of a year's page, with {Y} for the year. */
  yearly: string;
  /** Of a month's, with {M} for 03 or {m} for 3 besides. */
  monthly: string;
  /** Something filed there was read: until then nothing is guessed. */
  has_succeeded: boolean;
  /** Periods that something is in: with its date in its path, or on their page. */
  dated: number[];
  /** Those that have a page. */
  there: number[];
  /** Those that have none. */
  missing: number[];
  /** Those whose page the site names: it is visited without a guess. */
  named: number[];
  /** Years whose page names their months: nothing is to be guessed there. */
  listed: number[];
  /** Those whose page was guessed, and brought something new. */
  hits: number[];
  /** The same, and it brought nothing or was not there. */
  misses: number[];
  /** Numbers stand where its years do that are none. */
  has_ids: boolean;
}

/** How a parser did on a site in one day. */
export interface DayRate {
  site: string;
  parser: string;
  version: string;
  day: string;
  pages: number;
  complete: number;
}

/** A target given up, for a person to look at. Its history is `Pages.attempts`. */
export interface DeadLetter {
  target_id: number;
  job: string;
  url: string;
  host: string;
  /** When it was given up. */
  at: string;
  /** The word of its `Fault`. */
  fault: string;
  reason: string;
  /** Tries it had; those before it was last returned do not count. */
  attempts: number;
  /** What the reason says beyond the fault. */
  detail: string | null;
}

/** What a job may spend at a host on URLs that are deferred. */
export interface DeferralBudget {
  job: string;
  /** Requests. */
  budget: number;
  spent: number;
}

export interface DeletedJob {
  job: string;
  /** URLs, in this step. */
  deleted: number;
  /** False when the request is to be repeated. */
  is_gone: boolean;
}

/** What the door says, asked now. */
export interface DoorVerdict {
  taken: boolean;
  reason: string | null;
  detail: string | null;
  priority: number | null;
  /** What the door took it for: a seed, or a link so many steps from one. */
  seen_as: string;
  checks: string[];
}

export interface FailureCount {
  reason: string;
  count: number;
}

/** What went wrong when a visit failed (FE-6). */
export type Fault = "bad_gateway" | "client_error" | "connect_refused" | "connect_timeout" | "dns" | "encoding" | "internal" | "protocol" | "proxy" | "read_timeout" | "reset" | "server_error" | "tls" | "too_large" | "too_many_redirects";

export interface FaultCounts {
  total: number;
  /** How many of each, the commonest first. */
  faults: Record<string, number>;
}

/** What became of one URL. */
export interface FetchAnswer {
  url: string;
  final_url: string | null;
  url_hash: string | null;
  outcome: OutcomeWord;
  /** The fault, reason or verdict behind it, as a word. */
  cause: string | null;
  end: FetchEnd;
  /** The same in a sentence. */
  told: string;
  status: number | null;
  job: string | null;
  stored: boolean;
  /** When a crawl would try again. */
  again_at: string | null;
  hops: string[];
  attempts: Attempt[];
  page: PageAsRead | null;
}

export interface FetchBody {
  url: string;
  job?: string | null;
  post?: string | null;
  content_type?: string;
  dry?: boolean;
  wait?: number;
}

/** What whoever asked can do with it. */
export type FetchEnd = "got" | "no_page" | "not_now" | "refused";

/** Something the audit found wrong: which promise, and the rows that break it. */
export interface Finding {
  promise: string;
  rows: string[];
  count: number;
}

export type Form = "json" | "text" | "markdown" | "body";

export interface FoundAnywhere {
  jobs: string[];
  hosts: string[];
  /** The URL that is meant, if it is one. */
  url: string | null;
}

export interface FoundPages {
  items: HitFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
  total: number;
  /** When the index was last brought up to date, where that is done here. */
  as_of: string | null;
}

/** A URL on the way by which another came to be known. */
export interface FoundStep {
  url: string;
  depth: number;
  state: State;
  outcome: string | null;
  found_at: string | null;
}

export interface FoundWay {
  job: string;
  steps: FoundStep[];
}

/** URLs in figures. */
export interface FrontierStats {
  /** The sum over `states`. */
  known: number;
  /** URLs that are left to do. */
  pending: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
}

/** Where a run of user-agent lines begins, and with it what is said to them. */
export interface GroupPlace {
  /** 1-based. */
  line: number;
  /** Whether it is said to the crawler that asks. */
  applies: boolean;
}

/** What guesses at a host brought. */
export interface GuessFacts {
  asked: number;
  hits: number;
  wasted: number;
  /** Of all visits. */
  wasted_share: number;
  waiting: number;
}

/** Which client gets a host's pages, as far as it has taught us. */
export interface Habit {
  /** The one that last got a page the main client could not. */
  client: Client;
  /** Pages in a row of which that is true. */
  wins: number;
  /** Until then it is asked first. */
  until: string | null;
  /** Pages it got while asked first. */
  visits: number;
  /** The main client is to have another chance. */
  is_recheck_due: boolean;
  /** Pages in a row that no client could get. */
  losses: number;
  /** Until then only the main client is tried. */
  respite_until: string | null;
}

/** The last time that a handler failed in a job. */
export interface HandlerFailure {
  job: string;
  handler: string;
  version: string;
  at: string;
  url: string;
  error: string;
}

/** How a handler does in a job, in all. */
export interface HandlerStanding {
  job: string;
  handler: string;
  version: string;
  pages: number;
  records: number;
  failures: number;
  last_day: string;
  last_failure: HandlerFailure | null;
}

export interface HealthAnswer {
  live: boolean;
  ready: boolean;
  parts: Record<string, "away" | "ok">;
}

/** A host that a worker has in hand. */
export interface HeldHost {
  host: string;
  lease_ends_at: string;
  slots: number;
}

/** A page that was found, and the product it offers; or a record of your own, and its page. */
export interface HitFacts {
  url: string;
  job: string;
  host: string;
  fetched_at: string;
  /** Higher is better; to be compared within one answer only. */
  score: number;
  /** The part of its text with most of the words, in pieces; true for those looked for. */
  snippet: [string, boolean][];
  title: string | null;
  language: string | null;
  brand: string | null;
  category: string | null;
  /** Decimal text, spelled as products have it. */
  price: string | null;
  currency: string | null;
  sku: string | null;
  mpn: string | null;
  gtin: string | null;
  availability: string | null;
  status: string | null;
  rating: number | null;
  /** The name of the record; empty where it is a page. */
  record: string | null;
}

/** How a host's lastmods have compared with its pages, earlier visits fading. */
export interface Honesty {
  /** It told of a change, and there was one. */
  honest: number;
  /** It told of a change, and there was none. */
  lied: number;
  /** There was a change, and it told of none. */
  silent: number;
  /** It told of no change, and there was none. One that never does says nothing. */
  calm: number;
}

/** What we know of one host: a name, with its port where that is not the default one. */
export interface Host {
  name: string;
  /** scheme://host[:port] of the first URL seen; other origins of the host are spelled out. */
  origin: string;
  id: number;
  /** How often one of its URLs was asked for, by any job; robots.txt and probes are no visits. */
  visits: number;
  pace: Pace;
  health: HostHealth;
  paused: boolean;
  habit: Habit;
}

export interface HostDetail {
  host: Host;
  known: number;
  /** When it can be asked; None where nothing waits that time alone brings. */
  ready_at: string | null;
  /** Workers that have it in hand. */
  holders: number;
  /** Stored, in all jobs. */
  pages: number;
  /** URLs that wait there; so many at least, where it is 1,000. */
  waiting: number;
  standing: HostStanding;
  /** Seconds between two requests to it: the longest of ours, its Crawl-delay, and what it was slowed to. */
  delay: number;
  /** What its robots.txt says of its front page. */
  robots: RobotsAdvice;
  /** What rules of sites decide there, and which of them. */
  site: SiteFact[];
  /** What it has set in jobs, by name. */
  cookies: CookieNames[];
}

/** A host: its pace and health, and how it stands with us. */
export interface HostFacts {
  host: Host;
  known: number;
  /** When it can be asked; None where nothing waits that time alone brings. */
  ready_at: string | null;
  /** Workers that have it in hand. */
  holders: number;
  /** Stored, in all jobs. */
  pages: number;
  /** URLs that wait there; so many at least, where it is 1,000. */
  waiting: number;
  standing: HostStanding;
  /** Seconds between two requests to it: the longest of ours, its Crawl-delay, and what it was slowed to. */
  delay: number;
}

/** How a host has been answering lately. */
export interface HostHealth {
  /** Failures in a row that may be the site's; an answer of the server's own ends the row. */
  failures: number;
  last_fault: Fault | null;
  last_failure_at: string | null;
  /** When it last answered by itself, whatever it said. */
  last_success_at: string | null;
  /** 403 and 429 in a row. */
  refusals: number;
  /** What past failures still mean for the host; None when there were none. */
  trouble: HostTrouble | null;
}

export interface HostLessons {
  listings: LearnedListing[];
  archives: DateArchive[];
  /** What became of well-known paths. */
  names: Record<string, PathAnswer>;
  /** What its sitemaps say of its pages; null when they never said anything. */
  lastmod: Honesty | null;
  guesses: GuessFacts;
  /** Kinds of URLs that brought nothing new. */
  fruitless: ShapeRecord[];
  /** Sitemaps and feeds. */
  taken: ListingCount[];
}

/** A host with what waits there: not `ready_at` any time where time alone brings nothing. */
export interface HostRecord {
  host: Host;
  ready_at: string | null;
  known: number;
  pages: number;
  leased: number;
}

/** What visits of URLs of one kind brought a job at a host, and how they are judged. */
export interface HostShape {
  job: string;
  shape: string;
  visits: number;
  fruitless: number;
  /** Visits lately, of which it was asked what they brought. */
  judged: number;
  /** Those of them that brought something. */
  fruitful: number;
  /** Visits that were made while it was deferred. */
  late: number;
  /** URLs of it that wait until all else was visited, of those that were looked at. */
  deferred: number;
  /** Why it is deferred; null when its URLs are visited like all others. */
  why: string | null;
  examples: string[];
}

export interface HostShapes {
  items: HostShape[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
  /** Of each job: what it may spend on what is deferred. */
  budgets: DeferralBudget[];
  /** False when there are more kinds, or jobs, than are looked at. */
  is_whole: boolean;
}

export type HostSort = "name" | "known" | "pages";

export interface HostStanding {
  word: Word;
  /** The same for people, without the clock: that is told in the reader's own zone. */
  says: string;
  because: string | null;
  /** When it ends, be it by a probe; None when no clock ends it. */
  until: string | null;
}

/** The record of a host that gave trouble: budget, breaker and cooldown (HOST-2, 3, 4). */
export interface HostTrouble {
  /** The last failures, oldest first; as many as the budget allows, and no more. */
  failed_at: string[];
  breaker: Breaker;
  /** When the last cooldown began. */
  cooled_at: string | null;
  /** No visits before this: the host turned us away. */
  cool_until: string | null;
  /** When a person last cleared the record; nothing learned before then counts. */
  reset_at: string | null;
  /** When the last lock of the budget had been served; failures before then count no more. */
  paid_until: string | null;
}

/** A host that a job waits for. */
export interface HostWait {
  host: string;
  /** Null when no clock ends it. */
  until: string | null;
  why: string;
}

/** A picture of a product, as its page shows it (PROD-4). */
export interface Image {
  url: string;
  alt: string | null;
  kind: ImageKind;
  /** Its place among the product's pictures; 0 is the first. */
  position: number;
  width: number | null;
  /** In pixels: as the page says, or as it is once it was downloaded. */
  height: number | null;
  /** Bytes; None when it was not downloaded. */
  size: number | null;
  /** SHA-256 of the downloaded bytes: their name in the content store. */
  digest: string | null;
}

export type ImageKind = "gallery" | "primary" | "thumbnail";

/** Something that happened to a host, and until when it matters. */
export interface Incident {
  at: string;
  kind: IncidentKind;
  why: string | null;
  /** When it is asked again, be it by a probe; None where no clock tells. */
  until: string | null;
}

export type IncidentKind = "breaker" | "budget" | "cooldown" | "login" | "paused" | "reset" | "resumed" | "robots" | "silence";

/** What is not named here is as in the settings of the process. */
export interface JobBody {
  seeds?: string[];
  sitemaps?: string[];
  posts?: PostBody[];
  scope?: ScopeKind | null;
  include?: string[] | null;
  exclude?: string[] | null;
  max_pages?: number | null;
  max_depth?: number | null;
  recrawl?: number | null;
  schedule?: string | null;
  name: string;
  start?: boolean;
}

/** Everything about one job. */
export interface JobDetail {
  job: string;
  state: JobState;
  /** URLs; the sum over `states`. */
  known: number;
  pages: number;
  /** Pages that are to be visited again. */
  to_visit_again: number;
  /** URLs that are left to do. */
  pending: number;
  waiting_for_browser: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
  /** Null while it does not run. */
  visits_per_second: number | null;
  /** Seconds that this and the four below are about. */
  measured_over: number;
  visits: number;
  failures: number;
  bytes: number;
  /** Null when nobody can tell. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  next_run_at: string | null;
  /** Hosts that are likely to take longest. */
  queues: LongQueue[];
  waiting: HostWait[];
  /** What it was asked to do. */
  spec: JobSpec;
}

export interface JobPreview {
  taken: number;
  items: PreviewedUrl[];
}

/** What visits of URLs of one kind brought a job at one host (URL-6). */
export interface JobShape {
  host: string;
  shape: string;
  visits: number;
  fruitless: number;
}

/** What a user asks of a job: where to start, how far to go, what counts as the same URL. */
export interface JobSpec {
  /** Where to start. */
  seeds: string[];
  /** Sitemaps (or feeds) to start from as well: what they list is crawled. */
  sitemaps: string[];
  /** Requests to start from that send something, as [[job.posts]] tables: where, what, and what that is. */
  posts: Post[];
  /** How far from the seeds: their host, domain or prefix, or any. */
  scope: ScopeKind;
  /** When there are any, a URL has to match one: globs, or regular expressions after `re:`. */
  include: string[];
  /** URLs that match one of these are not taken. */
  exclude: string[];
  /** Hosts (globs) in scope besides those of the seeds. */
  allowed_hosts: string[];
  /** Hosts (globs) never visited, their subdomains included. */
  blocked_hosts: string[];
  /** Links away from a seed, at most. */
  max_depth: number;
  /** The job ends when this many pages are stored; never one more. */
  max_pages: number | null;
  /** URLs taken of one host, at most; the rest is `host_limit`. */
  max_pages_per_host: number | null;
  /** URLs taken by the job, at most; the rest is `job_limit`. */
  max_urls: number | null;
  /** Query parameters that make no difference: two URLs that differ only in them are one. */
  drop_parameters: string[];
  /** Take /a and /a/ as one URL. */
  drop_trailing_slash: boolean;
  /** Where URLs are looked for besides links: sitemaps, feeds, archives, pagination. */
  discover: UrlSource[];
  /** Seconds after which a page is visited again at first; how often it changes adapts that. */
  recrawl: number | null;
  /** When the job runs by itself: `every 6h`, or a cron line of five fields. */
  schedule: string | null;
  /** Read what pages offer for sale: name, price, availability and more, with every change. */
  products: boolean;
  /** Download the pictures of products, by the same rules as pages; each content is kept once. */
  images: boolean;
}

export type JobState = "done" | "paused" | "running" | "stopped";

export interface JobStory {
  /** None for the crawl that could be started here. */
  job: string | null;
  job_state: string | null;
  /** The short answer, in one sentence. */
  answer: string;
  normal: Normal;
  door: DoorVerdict;
  target: TargetRecord | null;
  attempts: Attempt[];
  /** What the last of them meant; empty when its outcome says it all. */
  meaning: string | null;
  page: PageRecord | null;
  /** What its page is nearly the same as, or what is nearly the same as its page. */
  similar: Likeness | null;
  /** There while it is given up and nobody has returned or purged it. */
  dead_letter: DeadLetter | null;
  kept_rejections: KeptRefusal[];
  next: Prospect;
  /** Names of those that the host has set in this job, and gets back. */
  cookies: string[];
  /** What is sent to this URL in the job, each a target of its own: the first of them. */
  posted: PostedThere[];
}

/** A job in a list, and what an order about it answers. */
export interface JobSummary {
  job: string;
  state: JobState;
  /** URLs; the sum over `states`. */
  known: number;
  pages: number;
  /** Pages that are to be visited again. */
  to_visit_again: number;
  /** URLs that are left to do. */
  pending: number;
  waiting_for_browser: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
  /** Null while it does not run. */
  visits_per_second: number | null;
  /** Seconds that this and the four below are about. */
  measured_over: number;
  visits: number;
  failures: number;
  bytes: number;
  /** Null when nobody can tell. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  next_run_at: string | null;
}

/** What a job may be asked to do. */
export interface JobWishes {
  seeds?: string[];
  sitemaps?: string[];
  posts?: PostBody[];
  scope?: ScopeKind | null;
  include?: string[] | null;
  exclude?: string[] | null;
  max_pages?: number | null;
  max_depth?: number | null;
  recrawl?: number | null;
  schedule?: string | null;
}

/** A refusal that depended on the moment, written down when it happened. */
export interface KeptRefusal {
  reason: Reason;
  at: string;
}

export interface KeyBody {
  name: string;
  role: "user" | "admin";
  jobs?: string[] | null;
  expires_in?: number | null;
}

/** A key of a program; the key itself is kept nowhere. */
export interface KeyFacts {
  name: string;
  role: ApiRole;
  created_at: string;
  jobs: string[] | null;
  expires_at: string | null;
  used_at: string | null;
}

/** What was done in the last minutes. */
export interface Lately {
  seconds: number;
  visits: number;
  pages: number;
  failures: number;
  bytes: number;
}

export interface LearnedListing {
  /** The lowest number that was named or read. */
  low: number;
  /** The highest one. */
  high: number;
  /** It counts what the pages list (0, 20, 40), not the pages. */
  is_offset: boolean;
  /** The greatest common divisor of its numbers, and of its numbers less one: an offset's step. */
  units: [number, number];
  /** Two numbers were seen of which one follows the other. */
  has_neighbours: boolean;
  /** One of its pages was the first to name a later one: so the last of them names none. */
  leads_on: boolean;
  /** The highest one that brought something. */
  read: number;
  /** All up to this one are known or were asked for. */
  filled: number;
  /** Guesses between two known ones that brought something. */
  between: number;
  /** Guesses beyond the last known one that did. */
  beyond: number;
  /** Guesses that brought nothing. More than one only where several waited for an answer. */
  missed: number[];
  /** Why it is guessed no more; empty while it may be. */
  ended: string | null;
  /** Of its pages, with {n} for the number. */
  path: string;
  /** From one page's number to the next one's. */
  step: number;
}

export interface LettersPurged {
  /** How many of each job. */
  jobs: Record<string, number>;
  /** URLs of which there is no dead letter. */
  not_found: string[];
  /** With `dry_run` only: how many of each fault. */
  faults?: Record<string, number>;
  /** With `dry_run`, how many it would be. */
  purged: number;
}

export interface LettersReturned {
  /** How many of each job. */
  jobs: Record<string, number>;
  /** URLs of which there is no dead letter. */
  not_found: string[];
  /** With `dry_run` only: how many of each fault. */
  faults?: Record<string, number>;
  /** With `dry_run`, how many it would be. */
  returned: number;
}

/** What a page shares its text with, in its job. */
export interface Likeness {
  /** The URL of the page that it is a near-duplicate of; empty when it is the original. */
  original: string;
  /** In how many bits of 64 the two differ; None for an original. */
  bits: number | null;
  /** Other near-duplicates of the same original, the first ones. */
  others: string[];
}

export type ListOrder = "found" | "newest" | "next";

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_ActFacts {
  items: ActFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_AlertJson {
  items: AlertJson[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_DayRate {
  items: DayRate[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_DeadLetter {
  items: DeadLetter[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_FailureCount {
  items: FailureCount[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_FoundWay {
  items: FoundWay[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_HandlerStanding {
  items: HandlerStanding[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_HostFacts {
  items: HostFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_JobShape {
  items: JobShape[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_JobSummary {
  items: JobSummary[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_KeyFacts {
  items: KeyFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_PageSummary {
  items: PageSummary[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_ProductFacts {
  items: ProductFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_ProxyFacts {
  items: ProxyFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_RuleFacts {
  items: RuleFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_RuleJson {
  items: RuleJson[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_SeenAttempt {
  items: SeenAttempt[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_Setting {
  items: Setting[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_StoredRecord {
  items: StoredRecord[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_UrlRecord {
  items: UrlRecord[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_UserFacts {
  items: UserFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** A part of a list. It may be short, or empty, although there is more. */
export interface ListPart_WorkerFacts {
  items: WorkerFacts[];
  /** To be passed on as `cursor`; null at the end. */
  next: string | null;
}

/** How many sitemaps, or feeds, a job has taken of a host. */
export interface ListingCount {
  job: string;
  role: Role;
  known: number;
}

/** A session has begun. */
export interface LoginAnswer {
  name: string;
  role: ApiRole;
  must_choose_password: boolean;
  expires_at: string;
  /** To be sent as `X-CSRF-Token` with what changes something. */
  csrf_token: string;
}

export interface LoginBody {
  name: string;
  password: string;
}

export interface LogoutAnswer {
  /** False when there was no session. */
  logged_out: boolean;
}

export interface LongQueue {
  host: string;
  /** URLs; of very long queues only their beginning counts. */
  waiting: number;
}

export interface NewKey {
  name: string;
  role: ApiRole;
  created_at: string;
  /** The only jobs that it is for; null for all. */
  jobs: string[] | null;
  expires_at: string | null;
  used_at: string | null;
  /** The key itself: it is here, and nowhere else. */
  key: string;
}

/** What a job counts as this URL. */
export interface Normal {
  form: string;
  /** One sentence per rule that changed something. */
  changes: string[];
  url_hash: string;
}

/** How a product is offered from this moment on. */
export interface OfferPoint {
  at: string;
  price: string | null;
  currency: string | null;
  regular_price: string | null;
  availability: Stock | null;
  status: ProductStatus;
}

/** How a visit ended, in one word: stored with its target and with its attempt. */
export type OutcomeWord = "duplicate" | "failed" | "garbage" | "gone" | "moved" | "priced" | "read" | "refused" | "stale" | "throttled" | "unchanged" | "unrendered" | "waiting";

/** When a host may be asked next. Two clocks, kept apart: our delay and its back-off. */
export interface Pace {
  /** What its robots.txt asks for, already capped. */
  crawl_delay: number;
  /** No request starts before this: the last start plus the delay. */
  next_at: string | null;
  /** No request starts before this: the host said so, or answered 429. */
  backoff_until: string | null;
  /** What the host's complaints have left behind; None when it never complained. */
  throttle: Throttle | null;
}

/** What was read of a page. */
export interface PageAsRead {
  content_type: string | null;
  charset: string | null;
  title: string | null;
  /** Its own heading, without the site's name. */
  headline: string | null;
  description: string | null;
  canonical: string | null;
  language: string | null;
  published: string | null;
  modified: string | null;
  fetched_at: string;
  /** Bytes; null when its type is recorded and not read. */
  length: number | null;
  words: number;
  noindex: boolean;
  nofollow: boolean;
  text: string | null;
  markdown: string | null;
  links: string[];
  product: Product | null;
  /** What was said about its use: where, and what. */
  rights: [string, string][];
}

/** A stored page without its body; `digest` finds that in the content store. */
export interface PageRecord {
  target_id: number;
  job: string;
  url: string;
  final_url: string;
  url_hash: string;
  status: number;
  content_type: string;
  charset: string;
  title: string;
  description: string;
  canonical: string;
  language: string;
  published: string;
  modified: string;
  content_hash: string;
  digest: string;
  length: number;
  words: number;
  link_count: number;
  depth: number;
  fetched_at: string;
  etag: string;
  last_modified: string;
  rights: [string, string][];
  /** When a visit last found it unchanged; None when none has since it was fetched. */
  checked_at: string | null;
  /** Why the last visit could not confirm it, in one word; empty when it could. */
  stale: string | null;
  /** Nearly the same for nearly the same main text, in hex; empty for too little text. */
  simhash: string | null;
  /** The URL of the page of this job that it is a near-duplicate of; empty when of none. */
  duplicate_of: string | null;
  /** What was sent for it, by POST; None where its URL was only asked for. */
  sends: Sends | null;
}

/** A stored page without its body. */
export interface PageSummary {
  job: string;
  url: string;
  final_url: string;
  url_hash: string;
  status: number;
  content_type: string;
  charset: string;
  title: string;
  description: string;
  canonical: string;
  language: string;
  published: string;
  modified: string;
  fetched_at: string;
  checked_at: string | null;
  stale: string;
  depth: number;
  words: number;
  length: number;
  link_count: number;
  content_hash: string;
  simhash: string;
  duplicate_of: string;
  digest: string;
  etag: string;
  last_modified: string;
  rights: [string, string][];
  method: string;
  sent: string;
}

export interface PasswordAnswer {
  name: string;
  changed: boolean;
}

export interface PasswordBody {
  old: string;
  new: string;
}

/** What became of a well-known path. */
export type PathAnswer = "hit" | "miss" | "unasked";

export interface Politeness {
  since: string;
  requests: TimelineRequest[];
  too_early: number;
  /** The latest first. */
  incidents: Incident[];
}

/** A request to start from that sends something: a search form, filled in (URL-1). */
export interface Post {
  /** Where it is sent. */
  url: string;
  /** What is sent there, by POST: `q=tea&page=1`. */
  body: string | null;
  /** What that is: a form unless you say `application/json`. */
  content_type: string;
}

/** A request to start from that sends something. */
export interface PostBody {
  url: string;
  body?: string;
  content_type?: string;
}

/** A request of the job that sends something to the URL. */
export interface PostedThere {
  body: string;
  content_type: string;
  state: State;
}

/** A job as it might be, and URLs to ask its door about. */
export interface PreviewBody {
  seeds?: string[];
  sitemaps?: string[];
  posts?: PostBody[];
  scope?: ScopeKind | null;
  include?: string[] | null;
  exclude?: string[] | null;
  max_pages?: number | null;
  max_depth?: number | null;
  recrawl?: number | null;
  schedule?: string | null;
  urls?: string[];
}

export interface PreviewedUrl {
  /** As it would be asked for, where it is one at all. */
  url: string;
  taken: boolean;
  /** Why not, in one word. */
  reason: string | null;
  detail: string | null;
  priority: number | null;
  /** What each check says of it, in the order they are made. */
  checks: string[];
}

/** What a product costs from this moment on. */
export interface PriceRecord {
  at: string;
  price: string | null;
  currency: string | null;
  regular_price: string | null;
}

/** What went wrong (RFC 9457). */
export interface ProblemAnswer {
  /** `about:blank`: kinds of problems have no page of their own. */
  type: string;
  title: string;
  status: number;
  /** What is wrong, and what to do. */
  detail: string;
  errors?: Wrong[];
  /** Parameters that there are. */
  known?: string[];
  /** Of the job that cannot be ordered this. */
  state?: string;
}

/** One product as its page states it. Texts are empty, numbers None, where it says nothing. */
export interface Product {
  url: string;
  name: string | null;
  description: string | null;
  /** Decimal text without grouping, as "1299.00"; of a range the lowest. */
  price: string | null;
  /** ISO 4217. */
  currency: string | null;
  /** What it cost before, or costs elsewhere, where the page says so; always above the price. */
  regular_price: string | null;
  availability: Stock | null;
  brand: string | null;
  category: string | null;
  breadcrumbs: string[];
  sku: string | null;
  mpn: string | null;
  gtin: string | null;
  /** Out of five, whatever the page counts in. */
  rating: number | null;
  reviews: number | null;
  images: Image[];
  /** How sure it is that the page is about this one product. */
  confidence: number;
  /** How sure each field is, by its name; fields that say nothing are not in it. */
  confidences: Record<string, number>;
  /** What a complete record would have and this one has not. */
  problems: string[];
  /** What else the site's own parser told, under names of its own. */
  extra: Record<string, string>;
  parser: string;
  parser_version: string | null;
}

/** Everything known of a product, and how sure it is. */
export interface ProductFacts {
  url: string;
  name: string | null;
  description: string | null;
  /** Decimal text without grouping, as "1299.00"; of a range the lowest. */
  price: string | null;
  /** ISO 4217. */
  currency: string | null;
  /** What it cost before, or costs elsewhere, where the page says so; always above the price. */
  regular_price: string | null;
  availability: Stock | null;
  brand: string | null;
  category: string | null;
  breadcrumbs: string[];
  sku: string | null;
  mpn: string | null;
  gtin: string | null;
  /** Out of five, whatever the page counts in. */
  rating: number | null;
  reviews: number | null;
  images: Image[];
  /** How sure it is that the page is about this one product. */
  confidence: number;
  /** How sure each field is, by its name; fields that say nothing are not in it. */
  confidences: Record<string, number>;
  /** What a complete record would have and this one has not. */
  problems: string[];
  /** What else the site's own parser told, under names of its own. */
  extra: Record<string, string>;
  parser: string;
  parser_version: string | null;
  id: number;
  /** The one that found it. */
  job: string;
  jobs: string[];
  status: ProductStatus;
  first_seen_at: string;
  updated_at: string;
  /** When its page last offered it. */
  last_seen_at: string;
  /** When a visit last told for sure whether it is offered. */
  confirmed_at: string;
}

/** A product, every price it had, and how it was offered over time. */
export interface ProductPrices {
  url: string;
  name: string | null;
  description: string | null;
  /** Decimal text without grouping, as "1299.00"; of a range the lowest. */
  price: string | null;
  /** ISO 4217. */
  currency: string | null;
  /** What it cost before, or costs elsewhere, where the page says so; always above the price. */
  regular_price: string | null;
  availability: Stock | null;
  brand: string | null;
  category: string | null;
  breadcrumbs: string[];
  sku: string | null;
  mpn: string | null;
  gtin: string | null;
  /** Out of five, whatever the page counts in. */
  rating: number | null;
  reviews: number | null;
  images: Image[];
  /** How sure it is that the page is about this one product. */
  confidence: number;
  /** How sure each field is, by its name; fields that say nothing are not in it. */
  confidences: Record<string, number>;
  /** What a complete record would have and this one has not. */
  problems: string[];
  /** What else the site's own parser told, under names of its own. */
  extra: Record<string, string>;
  parser: string;
  parser_version: string | null;
  id: number;
  /** The one that found it. */
  job: string;
  jobs: string[];
  status: ProductStatus;
  first_seen_at: string;
  updated_at: string;
  /** When its page last offered it. */
  last_seen_at: string;
  /** When a visit last told for sure whether it is offered. */
  confirmed_at: string;
  prices: PriceRecord[];
  history: OfferPoint[];
}

/** Whether a product is still offered where it was found (PROD-3). */
export type ProductStatus = "delisted" | "listed" | "unknown";

export interface Prospect {
  what: string;
  /** None when it is only a matter of turn, or when nothing will happen. */
  not_before: string | null;
  /** What has to be waited for, where it is the whole host's. */
  because: string | null;
}

export interface ProxyBody {
  url: string;
  name?: string | null;
  group?: string;
  priority?: number;
}

/** All that may be shown: neither user nor password, only whether there are any (SEC-3). */
export interface ProxyFacts {
  name: string;
  group: string;
  priority: number;
  scheme: string;
  host: string;
  port: number;
  /** Whether it has a user and a password. */
  login: boolean;
  state: "banned" | "disabled" | "ok";
  banned_until: string | null;
  /** Why it is out of service. */
  disabled: string | null;
  successes: number;
  failures: number;
  success_rate: number | null;
  average_ms: number | null;
  bans: number;
  last_used_at: string | null;
}

export interface ProxyWishes {
  group?: string | null;
  priority?: number | null;
  enabled?: boolean | null;
}

export interface PurgedPages {
  /** Purged by this request, or meant. */
  pages: number;
  dry_run: boolean;
  /** False when the request is to be repeated. */
  is_whole: boolean;
}

/** Why a candidate was not taken, or a target not visited (URL-4). */
export type Reason = "blocked_host" | "credentials_in_url" | "excluded" | "file_type" | "host_limit" | "job_limit" | "known" | "listing_limit" | "malformed" | "nofollow" | "out_of_scope" | "private_address" | "robots" | "scheme" | "too_deep" | "too_long" | "trap";

/** What a record was from this moment on. */
export interface RecordState {
  at: string;
  version: string;
  /** Null when it was gone. */
  data: Record<string, unknown> | null;
}

/** A record, and all it was. */
export interface RecordStory {
  id: number;
  name: string;
  /** What the user's code knows it by; null where its place on the page makes it the same. */
  key: string | null;
  data: Record<string, unknown>;
  /** Of the page that told it last. */
  url: string;
  job: string;
  handler: string;
  /** Of the handler, when it told this. */
  version: string;
  /** Gone: its page was read again and told it no more, or is gone itself. */
  status: "gone" | "there";
  first_seen_at: string;
  last_seen_at: string;
  changed_at: string;
  /** First to last; the last is what it is. */
  history: RecordState[];
}

export interface Recovered {
  recovered: number;
}

/** A URL that was not taken. */
export interface RefusedUrl {
  url: string;
  reason: Reason;
  at: string;
}

export interface RefusedUrls {
  /** How many were not taken, by reason. */
  counts: Record<string, number>;
  /** Examples. */
  items: RefusedUrl[];
  /** To be passed on as `cursor`; null at the end, and where no reason is named. */
  next: string | null;
}

/** What is not there any more. */
export interface Removed {
  name: string;
  removed: boolean;
}

export interface Revoked {
  name: string;
  revoked: boolean;
}

export interface RobotsAdvice {
  origin: string;
  /** None while robots.txt was never asked for. */
  allowed: boolean | null;
  why: string;
  access: Access | null;
  /** The line that decided; 0 when none did. */
  line: number;
  rule: string | null;
  group: string | null;
  status: number | null;
  error: string | null;
  fetched_at: string | null;
  expires_at: string | null;
  is_fresh: boolean;
  crawl_delay: number | null;
  sitemaps: string[];
  rights: [string, string][];
}

/** A robots.txt as it was last fetched, and what it says of a path. */
export interface RobotsText {
  origin: string;
  /** None while robots.txt was never asked for. */
  allowed: boolean | null;
  why: string;
  access: Access | null;
  /** The line that decided; 0 when none did. */
  line: number;
  rule: string | null;
  group: string | null;
  status: number | null;
  error: string | null;
  fetched_at: string | null;
  expires_at: string | null;
  is_fresh: boolean;
  crawl_delay: number | null;
  sitemaps: string[];
  rights: [string, string][];
  path: string;
  /** Null while it was never asked for. */
  text: string | null;
  /** Where what is said to some crawlers begins, and whether we are among them. */
  groups: GroupPlace[];
}

/** Why a target is visited: as a page, for the URLs it lists, to try a guess of ours, for the picture that it is, or for what it answers to what is sent there. */
export type Role = "" | "archive" | "feed" | "image" | "pagination" | "posted" | "sitemap";

/** The rules of a pattern of hosts. */
export interface RuleFacts {
  /** The pattern. */
  host: string;
  source: RuleSource;
  /** What they say, by key; of headers and cookies the names. */
  rules: Record<string, unknown>;
}

/** A rule that is on. */
export interface RuleJson {
  what: string;
  name: string | null;
  threshold: number;
  is_upper: boolean;
  lasting: number;
  of: Record<string, string>;
}

export type RuleSource = "ledger" | "settings";

export interface RulesRemoved {
  host: string;
  removed: boolean;
}

export interface RunJob {
  job: string;
  state: JobState;
  /** URLs; the sum over `states`. */
  known: number;
  pages: number;
  /** Pages that are to be visited again. */
  to_visit_again: number;
  /** URLs that are left to do. */
  pending: number;
  waiting_for_browser: number;
  /** URLs that wait until somebody asks for them. */
  deferred: number;
  states: Record<string, number>;
  not_taken: Record<string, number>;
  /** Null while it does not run. */
  visits_per_second: number | null;
  /** Seconds that this and the four below are about. */
  measured_over: number;
  visits: number;
  failures: number;
  bytes: number;
  /** Null when nobody can tell. */
  seconds_left: number | null;
  created_at: string;
  ended_at: string | null;
  next_run_at: string | null;
  /** URLs that are visited again. */
  again: number;
}

export type ScopeKind = "any" | "domain" | "host" | "prefix";

/** A visit, as a log shows it. */
export interface SeenAttempt {
  id: number;
  at: string;
  job: string;
  host: string;
  url: string;
  outcome: string;
  status: number | null;
  ms: number | null;
  bytes: number | null;
  error: string | null;
  title: string | null;
}

/** What a request sends besides its URL, by POST. */
export interface Sends {
  body: string | null;
  content_type: string;
}

export interface Setting {
  name: string;
  value: unknown;
  source: string;
}

/** What visits of URLs of one shape brought a job (URL-6). */
export interface ShapeRecord {
  job: string;
  shape: string;
  visits: number;
  fruitless: number;
}

/** For how long nobody is told of an alert. */
export interface Silence {
  lasting?: string;
}

export interface Silenced {
  id: number;
  silent_until: string;
}

/** One key that rules decide at a host. */
export interface SiteFact {
  key: string;
  value: unknown;
  pattern: string;
  /** `ledger` or `settings`. */
  source: string;
}

/** Where a target is; it is always in exactly one of these (FR-1). */
export type State = "blocked" | "done" | "failed" | "gone" | "leased" | "pending" | "rejected";

/** Totals. No names, hosts or URLs. */
export interface Stats {
  pages: number;
  /** URLs; the sum over `states`. */
  known: number;
  states: Record<string, number>;
  /** Answers by their status, `none` where none came; all that there ever were. */
  statuses: Record<string, number>;
  jobs: Record<string, number>;
  /** Processes that work now. */
  workers: number;
  lately: Lately;
}

/** What a visit is doing. It passes these in order, the first three again with each redirect. */
export type Step = "commit" | "gate" | "judge" | "read" | "request" | "turn";

/** Whether a product can be had; the words of schema.org, those that mean the same as one. */
export type Stock = "" | "BackOrder" | "Discontinued" | "InStock" | "OutOfStock" | "PreOrder";

/** A record of the user's own, and since when it is as it is. */
export interface StoredRecord {
  id: number;
  name: string;
  key: string | null;
  data: Record<string, unknown>;
  url: string;
  job: string;
  handler: string;
  version: string;
  status: "gone" | "there";
  first_seen_at: string;
  last_seen_at: string;
  changed_at: string;
}

export interface Story {
  asked: string;
  /** What would be requested; None when the text is no URL that can be crawled. */
  url: string | null;
  /** Why it cannot be crawled by anybody; empty when it can. */
  problem: string | null;
  jobs: JobStory[];
  robots: RobotsAdvice | null;
  host: HostRecord | null;
  /** The host's: whether it may be asked now, and if not, why and until when. */
  standing: HostStanding | null;
  /** What the rules of its site decide, and which of them does. */
  site: SiteFact[];
}

/** What the ledger knows of one URL in one job. */
export interface TargetRecord {
  id: number;
  job: string;
  url: string;
  host: string;
  state: State;
  priority: number;
  depth: number;
  due_at: string | null;
  attempts: number;
  reason: string | null;
  found_on: string | null;
  /** What it was taken for: a page, a sitemap, a guess. */
  role: Role | null;
  /** How its last visit ended; None when none has, or since its dead letter was returned. */
  outcome: OutcomeWord | null;
  /** What made it end so, in one word: a fault, a reason, a verdict. `reason` is for people. */
  cause: string | null;
  /** What is sent there, by POST; None where its URL is only asked for. */
  sends: Sends | null;
}

/** How a host that told us to slow down is asked since then (HOST-1). */
export interface Throttle {
  /** When the last incident began. */
  since: string;
  /** When its blackout ends: complaints about requests sent before then belong to it. */
  until: string;
  /** Incidents in a row; 0 when they are forgiven. */
  incidents: number;
  /** Seconds between request starts, at least; 0 when the rate has recovered. */
  interval: number;
  /** Towards the next step of recovery. */
  successes: number;
}

/** What was done in one step. */
export interface TimePoint {
  visits: number;
  pages: number;
  failures: number;
  bytes: number;
  /** Answers by the first digit of their status. */
  s2: number;
  s3: number;
  s4: number;
  s5: number;
  /** When the step began. */
  at: string;
}

/** A request as it left. */
export interface TimelineRequest {
  at: string;
  /** None when no answer came. */
  status: number | null;
  ms: number;
  /** Seconds that were to be kept from the request before. */
  delay: number;
  too_early: boolean;
}

export interface Timeseries {
  step_seconds: number;
  items: TimePoint[];
}

/** What one process has under way, as it was at one moment. */
export interface UnderWay {
  at: string;
  steps: Record<string, number>;
  visits: VisitUnderWay[];
  held: string[];
}

/** A URL of a job, as a list shows it. */
export interface UrlRecord {
  id: number;
  job: string;
  host: string;
  url: string;
  state: State;
  priority: number;
  depth: number;
  due_at: string | null;
  attempts: number;
  reason: string | null;
  outcome: string | null;
  cause: string | null;
  found_at: string | null;
  next_crawl_at: string | null;
}

export interface UrlRefused {
  url: string;
  reason: Reason;
}

/** Where URLs are looked for besides the links of pages (DISC-1 to 3). */
export type UrlSource = "archives" | "feeds" | "pagination" | "sitemaps";

export interface UrlsAdded {
  job: string;
  new: number;
  /** Those that were there already. */
  known: number;
  refused: UrlRefused[];
}

export interface UrlsBody {
  job: string;
  urls: string[];
}

export interface UserBody {
  name: string;
  role: "user" | "admin";
  password: string;
}

/** Somebody who can log in. */
export interface UserFacts {
  name: string;
  role: ApiRole;
  created_at: string;
  /** Theirs is good once. */
  must_choose_password: boolean;
}

/** A visit as somebody who looks on sees it: which step it is in, and since when. */
export interface VisitUnderWay {
  url: string;
  host: string;
  job_id: number;
  step: Step;
  since: string;
  began_at: string;
}

/** Those that meet everything named here; `all` for really all. */
export interface Which {
  ids?: number[] | null;
  job?: string | null;
  host?: string | null;
  fault?: Fault | null;
  contains?: string;
  all?: boolean;
  dry_run?: boolean;
}

export interface WhoAsks {
  /** `user` or `key`; null for whoever does not say. */
  kind: string | null;
  name: string | null;
  role: ApiRole;
  /** The only jobs that they may see; null for all. */
  jobs: string[] | null;
  must_choose_password: boolean;
  csrf_token: string | null;
}

/** A stored page with its main text. */
export interface WholePage {
  job: string;
  url: string;
  /** Where the body came from, after redirects. */
  final_url: string;
  /** SHA-256 of the URL's normal form, in hex. */
  url_hash: string;
  status: number;
  content_type: string;
  charset: string;
  title: string;
  description: string;
  canonical: string;
  language: string;
  published: string;
  modified: string;
  fetched_at: string;
  /** When a visit last found it unchanged. */
  checked_at: string | null;
  /** Why the last visit could not confirm it; empty when it could. */
  stale: string;
  depth: number;
  words: number;
  /** Bytes of the body, decompressed. */
  length: number;
  link_count: number;
  content_hash: string;
  simhash: string;
  /** The page it is a near-duplicate of; empty when of none. */
  duplicate_of: string;
  /** SHA-256 of the body, in hex. */
  digest: string;
  etag: string;
  last_modified: string;
  /** What was said about its use: where, and what. */
  rights: [string, string][];
  /** How it was asked for: GET, or POST where something was sent. */
  method: string;
  /** What was sent for it; empty where nothing was. */
  sent: string;
  /** Its own heading, without the site's name; null when its body is not kept. */
  headline: string | null;
  text: string | null;
}

/** A host's standing; of several, the first named here that is true of it. */
export type Word = "breaker" | "budget" | "cooldown" | "failing" | "new" | "ok" | "paused" | "probe" | "robots" | "single" | "slowed" | "told_to_wait";

export interface WorkerFacts {
  name: string;
  pid: number;
  started_at: string;
  seen_at: string;
  hosts: number;
  under_way: UnderWay | null;
  machine: string | null;
  role: string | null;
  version: string | null;
  held: HeldHost[];
  is_active: boolean;
}

/** One thing that is wrong with a request. */
export interface Wrong {
  /** `query.limit`, `body.seeds.0`. */
  where: string;
  why: string;
}

/** By method and path: what is asked, and what is answered. */
export interface Routes {
  "GET /health": {
    path: {};
    query: {};
    body: undefined;
    answer: HealthAnswer;
  };
  "GET /api/alerts": {
    path: {};
    query: { all?: boolean; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_AlertJson;
  };
  "GET /api/alerts/rules": {
    path: {};
    query: {};
    body: undefined;
    answer: ListPart_RuleJson;
  };
  "POST /api/alerts/{id}/silence": {
    path: { id: number };
    query: {};
    body: Silence | null;
    answer: Silenced;
  };
  "GET /metrics": {
    path: {};
    query: {};
    body: undefined;
    answer: string;
  };
  "GET /api/stats": {
    path: {};
    query: {};
    body: undefined;
    answer: Stats;
  };
  "GET /api/live": {
    path: {};
    query: { job?: string | null; host?: string | null; jobs?: boolean };
    body: undefined;
    answer: string;
  };
  "GET /api/stats/timeseries": {
    path: {};
    query: { job?: string | null; minutes?: number; step?: number };
    body: undefined;
    answer: Timeseries;
  };
  "GET /api/visits": {
    path: {};
    query: { job?: string | null; host?: string | null; outcome?: string | null; status?: number | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_SeenAttempt;
  };
  "GET /api/frontier/stats": {
    path: {};
    query: { job?: string | null };
    body: undefined;
    answer: FrontierStats;
  };
  "GET /api/frontier/urls": {
    path: {};
    query: { job?: string | null; host?: string | null; state?: State | null; reason?: string | null; contains?: string | null; order?: ListOrder; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_UrlRecord;
  };
  "POST /api/frontier/add": {
    path: {};
    query: {};
    body: UrlsBody;
    answer: UrlsAdded;
  };
  "POST /api/frontier/seed": {
    path: {};
    query: {};
    body: UrlsBody;
    answer: UrlsAdded;
  };
  "POST /api/frontier/recover": {
    path: {};
    query: {};
    body: undefined;
    answer: Recovered;
  };
  "DELETE /api/frontier": {
    path: {};
    query: { job: string };
    body: undefined;
    answer: ClearedFrontier;
  };
  "POST /api/fetch": {
    path: {};
    query: {};
    body: FetchBody;
    answer: FetchAnswer;
  };
  "GET /api/pages": {
    path: {};
    query: { job?: string | null; host?: string | null; contains?: string | null; duplicates?: boolean | null; newest?: boolean; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_PageSummary;
  };
  "GET /api/pages/{url_hash}": {
    path: { url_hash: string };
    query: { host?: string | null; job?: string | null; form?: Form };
    body: undefined;
    answer: WholePage;
  };
  "GET /api/pages/{url_hash}/similar": {
    path: { url_hash: string };
    query: { host?: string | null; job?: string | null; limit?: number };
    body: undefined;
    answer: ListPart_PageSummary;
  };
  "DELETE /api/admin/pages": {
    path: {};
    query: { job?: string | null; host?: string | null; older_than?: string | null; contains?: string | null; all?: boolean; dry_run?: boolean };
    body: undefined;
    answer: PurgedPages;
  };
  "GET /api/domains": {
    path: {};
    query: { q?: string | null; standing?: Word | null; trouble?: boolean; sort?: HostSort; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_HostFacts;
  };
  "GET /api/domains/{domain}": {
    path: { domain: string };
    query: {};
    body: undefined;
    answer: HostDetail;
  };
  "GET /api/domains/{domain}/robots": {
    path: { domain: string };
    query: { path?: string };
    body: undefined;
    answer: RobotsText;
  };
  "GET /api/domains/{domain}/learned": {
    path: { domain: string };
    query: {};
    body: undefined;
    answer: HostLessons;
  };
  "GET /api/domains/{domain}/shapes": {
    path: { domain: string };
    query: { job?: string | null; deferred?: boolean | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: HostShapes;
  };
  "GET /api/domains/{domain}/timeline": {
    path: { domain: string };
    query: { minutes?: number };
    body: undefined;
    answer: Politeness;
  };
  "POST /api/admin/domains/{domain}/pause": {
    path: { domain: string };
    query: {};
    body: undefined;
    answer: HostFacts;
  };
  "POST /api/admin/domains/{domain}/resume": {
    path: { domain: string };
    query: {};
    body: undefined;
    answer: HostFacts;
  };
  "POST /api/admin/domains/{domain}/reset": {
    path: { domain: string };
    query: {};
    body: undefined;
    answer: HostFacts;
  };
  "GET /api/jobs": {
    path: {};
    query: { state?: JobState | null; contains?: string | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_JobSummary;
  };
  "POST /api/jobs": {
    path: {};
    query: {};
    body: JobBody;
    answer: CreatedJob;
  };
  "POST /api/jobs/preview": {
    path: {};
    query: {};
    body: PreviewBody;
    answer: JobPreview;
  };
  "GET /api/jobs/{name}": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobDetail;
  };
  "PATCH /api/jobs/{name}": {
    path: { name: string };
    query: {};
    body: JobWishes;
    answer: ChangedJob;
  };
  "DELETE /api/jobs/{name}": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: DeletedJob;
  };
  "GET /api/jobs/{name}/failures": {
    path: { name: string };
    query: { limit?: number };
    body: undefined;
    answer: ListPart_FailureCount;
  };
  "GET /api/jobs/{name}/rejections": {
    path: { name: string };
    query: { reason?: Reason | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: RefusedUrls;
  };
  "GET /api/jobs/{name}/shapes": {
    path: { name: string };
    query: { limit?: number };
    body: undefined;
    answer: ListPart_JobShape;
  };
  "POST /api/jobs/{name}/run": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: RunJob;
  };
  "GET /api/jobs/{name}/progress": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobDetail;
  };
  "POST /api/jobs/{name}/start": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobSummary;
  };
  "POST /api/jobs/{name}/pause": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobSummary;
  };
  "POST /api/jobs/{name}/resume": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobSummary;
  };
  "POST /api/jobs/{name}/stop": {
    path: { name: string };
    query: {};
    body: undefined;
    answer: JobSummary;
  };
  "GET /api/dead-letters": {
    path: {};
    query: { job?: string | null; host?: string | null; fault?: Fault | null; contains?: string | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_DeadLetter;
  };
  "GET /api/dead-letters/counts": {
    path: {};
    query: { job?: string | null; host?: string | null; contains?: string | null };
    body: undefined;
    answer: FaultCounts;
  };
  "POST /api/dead-letters/return": {
    path: {};
    query: {};
    body: Which;
    answer: LettersReturned;
  };
  "POST /api/dead-letters/purge": {
    path: {};
    query: {};
    body: Which;
    answer: LettersPurged;
  };
  "GET /api/products": {
    path: {};
    query: { job?: string | null; host?: string | null; brand?: string | null; category?: string | null; sku?: string | null; gtin?: string | null; mpn?: string | null; availability?: string | null; status?: string | null; min_price?: number | null; max_price?: number | null; currency?: string | null; min_rating?: number | null; changed_since?: string | null; q?: string | null; cheaper?: boolean; url?: string | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_ProductFacts;
  };
  "GET /api/products/rates": {
    path: {};
    query: { days?: number };
    body: undefined;
    answer: ListPart_DayRate;
  };
  "GET /api/products/prices": {
    path: {};
    query: { job?: string | null; changed_since?: string | null };
    body: undefined;
    answer: string;
  };
  "GET /api/products/{product_id}": {
    path: { product_id: number };
    query: {};
    body: undefined;
    answer: ProductFacts;
  };
  "GET /api/products/{product_id}/prices": {
    path: { product_id: number };
    query: {};
    body: undefined;
    answer: ProductPrices;
  };
  "GET /api/products/{product_id}/images/{position}": {
    path: { product_id: number; position: number };
    query: {};
    body: undefined;
    answer: string;
  };
  "GET /api/records": {
    path: {};
    query: { name?: string | null; job?: string | null; host?: string | null; url?: string | null; handler?: string | null; key?: string | null; status?: string | null; changed_since?: string | null; q?: string | null; limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_StoredRecord;
  };
  "GET /api/records/rates": {
    path: {};
    query: { job?: string | null; days?: number };
    body: undefined;
    answer: ListPart_HandlerStanding;
  };
  "GET /api/records/{record_id}": {
    path: { record_id: number };
    query: {};
    body: undefined;
    answer: RecordStory;
  };
  "GET /api/search": {
    path: {};
    query: { q: string; limit?: number; cursor?: string | null };
    body: undefined;
    answer: FoundPages;
  };
  "GET /api/why": {
    path: {};
    query: { url: string; job?: string | null; post?: string | null; content_type?: string };
    body: undefined;
    answer: Story;
  };
  "GET /api/why/path": {
    path: {};
    query: { url: string; job?: string | null };
    body: undefined;
    answer: ListPart_FoundWay;
  };
  "GET /api/workers": {
    path: {};
    query: {};
    body: undefined;
    answer: ListPart_WorkerFacts;
  };
  "GET /api/sites": {
    path: {};
    query: { limit?: number; cursor?: string | null; host?: string | null };
    body: undefined;
    answer: ListPart_RuleFacts;
  };
  "GET /api/sites/{pattern}": {
    path: { pattern: string };
    query: {};
    body: undefined;
    answer: RuleFacts;
  };
  "PUT /api/sites/{pattern}": {
    path: { pattern: string };
    query: {};
    body: Record<string, unknown>;
    answer: RuleFacts;
  };
  "DELETE /api/sites/{pattern}": {
    path: { pattern: string };
    query: {};
    body: undefined;
    answer: RulesRemoved;
  };
  "POST /api/auth/login": {
    path: {};
    query: {};
    body: LoginBody;
    answer: LoginAnswer;
  };
  "POST /api/auth/logout": {
    path: {};
    query: {};
    body: undefined;
    answer: LogoutAnswer;
  };
  "POST /api/auth/password": {
    path: {};
    query: {};
    body: PasswordBody;
    answer: PasswordAnswer;
  };
  "GET /api/auth/me": {
    path: {};
    query: {};
    body: undefined;
    answer: WhoAsks;
  };
  "GET /api/users": {
    path: {};
    query: {};
    body: undefined;
    answer: ListPart_UserFacts;
  };
  "POST /api/users": {
    path: {};
    query: {};
    body: UserBody;
    answer: UserFacts;
  };
  "DELETE /api/users/{user}": {
    path: { user: string };
    query: {};
    body: undefined;
    answer: Removed;
  };
  "GET /api/keys": {
    path: {};
    query: {};
    body: undefined;
    answer: ListPart_KeyFacts;
  };
  "POST /api/keys": {
    path: {};
    query: {};
    body: KeyBody;
    answer: NewKey;
  };
  "DELETE /api/keys/{key}": {
    path: { key: string };
    query: {};
    body: undefined;
    answer: Revoked;
  };
  "GET /api/acts": {
    path: {};
    query: { limit?: number; cursor?: string | null };
    body: undefined;
    answer: ListPart_ActFacts;
  };
  "GET /api/proxies": {
    path: {};
    query: { group?: string | null };
    body: undefined;
    answer: ListPart_ProxyFacts;
  };
  "POST /api/proxies": {
    path: {};
    query: {};
    body: ProxyBody;
    answer: ProxyFacts;
  };
  "PATCH /api/proxies/{proxy}": {
    path: { proxy: string };
    query: {};
    body: ProxyWishes;
    answer: ProxyFacts;
  };
  "DELETE /api/proxies/{proxy}": {
    path: { proxy: string };
    query: {};
    body: undefined;
    answer: Removed;
  };
  "GET /api/settings": {
    path: {};
    query: {};
    body: undefined;
    answer: ListPart_Setting;
  };
  "GET /api/audit": {
    path: {};
    query: {};
    body: undefined;
    answer: AuditSums;
  };
  "POST /api/audit": {
    path: {};
    query: {};
    body: undefined;
    answer: AuditAnswer;
  };
  "GET /api/find": {
    path: {};
    query: { q: string };
    body: undefined;
    answer: FoundAnywhere;
  };
}
