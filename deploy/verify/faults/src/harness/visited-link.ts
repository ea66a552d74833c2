export interface VisitedLink {
  id: string;
  short_code: string;
}
