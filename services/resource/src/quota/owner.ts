/** The workspace that content belongs to, as its identity or an import job names it. */
export interface Owner {
  slug: string;
  /** `activeLinks`: how many links or QR codes may be active; `null` is unlimited. */
  plan: { activeLinks: number | null };
}
