// What the API answers, under the names of the pages; the types are made of its own document.
import type {
  HostFacts,
  JobDetail,
  JobPreview,
  JobSummary,
  PageSummary,
  ProductFacts,
  SeenAttempt,
  State,
  UrlRecord,
  WhoAsks,
} from "#answers";

export type {
  Attempt,
  Breaker,
  FoundWay,
  HostStanding,
  JobShape,
  JobSpec,
  JobStory,
  PreviewedUrl,
  RefusedUrls,
  State,
  Stats,
  Story,
  Timeseries,
} from "#answers";

export type States = Record<string, number>;
export type Me = WhoAsks;
export type Job = JobSummary;
export type WholeJob = JobDetail;
/** As the stream tells it: all but what it was asked to do, which has changed when the mark has. */
export type RunningJob = Omit<JobDetail, "spec"> & { spec_mark: string };
export type Visit = SeenAttempt;
export type HostRow = HostFacts;
export type Preview = JobPreview;
export type UrlRow = UrlRecord;
export type PageRow = PageSummary;
export type ProductRow = ProductFacts;

export const STATES: readonly State[] = [
  "pending",
  "leased",
  "done",
  "failed",
  "blocked",
  "rejected",
  "gone",
];

/** A part of a list. */
export interface Listed<T> {
  items: T[];
  next: string | null;
}

/** How fast it went at one moment: what is kept of the last five minutes. */
export interface Sample {
  at: string;
  a_second: { visits: number; pages: number; failures: number; bytes: number };
}

/** What `GET /api/live` tells, which the document cannot say: a stream has no schema. */
export interface Figures extends Sample {
  pages: number;
  known: number;
  states: Record<State, number>;
  workers: number;
  /** How often each status was answered. */
  statuses: Record<string, number>;
  /** Those that run, for whoever is logged in. */
  jobs?: RunningJob[];
  /** 10,000 at most. */
  dead_letters?: number;
  /** That are open. */
  alerts?: number;
  /** Another one when hosts in trouble are others, or stand otherwise. */
  hosts_mark?: string;
}
