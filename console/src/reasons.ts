// Why was a URL not taken? Each reason of the door as a sentence; a new one is a type error here.
import type { Reason } from "#answers";
import { words } from "./words";

const SENTENCES: Record<Reason, string> = {
  malformed: "it is no URL",
  scheme: "it is neither http nor https",
  too_long: "it has more than 2,083 characters",
  credentials_in_url: "it has a user name or a password before its host",
  private_address: "its host is not public",
  blocked_host: "its host is one of the job's blocked_hosts",
  nofollow: "the link or its page says not to follow it",
  out_of_scope: "it is not within the job's scope",
  excluded: "a pattern excludes it, or none includes it",
  too_deep: "it is more links away from a seed than the job goes",
  file_type: "its ending promises no text",
  trap: "it is spelled like one of endlessly many",
  host_limit: "the job has as many pages of its host as it takes",
  listing_limit: "the job has as many sitemaps or feeds of its host as it takes",
  job_limit: "the job has as many URLs as it takes",
  known: "the job has it already",
  robots: "robots.txt forbids it",
};

/** Nothing for what is no reason of the door. */
export const meaning = (reason: string | null | undefined): string =>
  SENTENCES[reason as Reason] ?? "";

/** What a visit came to, as the ledger tells it: `server_error: http 500`. Its words stand alone
 *  between colons; what strangers wrote stays as it is. */
export const spoken = (told: string | null | undefined): string =>
  (told ?? "").replace(
    /(^|: )([a-z]+(?:_[a-z0-9]+)+)(?=:|$)/g,
    (_, before, word) => before + words(word),
  );
