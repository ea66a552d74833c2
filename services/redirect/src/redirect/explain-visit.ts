import type { explainVisit } from '@waymark/contract/requests';
import type { ExplainStep, ExplanationBody } from '@waymark/contract/explain';
import type { z } from 'zod';
import { parseQuery, type Parameter } from '../destinations/query.js';
import { Bots } from '@waymark/visitors/bots';
import { botMatch } from '@waymark/visitors/is-bot';
import { decide, decideMiss, isMiss, STEPS, type Decision, type Found, type RedirectRequest } from './decide.js';
import { findVisited, type FindContext } from './find-visited.js';
import { parseUrl } from './parse-url.js';
import { refusalOf } from '../pages/refusals.js';
import { NO_HOST } from '../hosts/host.js';
import { describeStep } from './describe-step.js';

/** Longer than the look-up of a visit may take, since no visitor waits for this one. */
const FIND_TIMEOUT_MS = 2000;

type Question = z.infer<typeof explainVisit.question>;

/** Explains what visitors of the links of a workspace get, by the code that answers them. */
export class VisitExplainer {
  private readonly bots = new Bots();

  constructor(private readonly ctx: FindContext) {}

  async explain({ workspace, url, user_agent: userAgent, at }: Question) {
    const now = Date.parse(at);
    const found = await this.find(workspace, new URL(url));
    const decision: Decision = found ? decide(this.ctx, found, now) : { step: 'host', answer: 'miss', host: NO_HOST };
    const steps = STEPS.slice(0, STEPS.indexOf(decision.step) + 1);
    const explanation: ExplanationBody = {
      ...answerOf(this.ctx, decision),
      steps: steps.map((step): ExplainStep => ({ step, ...describeStep(step, { found, decision, now }) })),
      scan: this.scanOf(decision, userAgent),
      parameters: decision.answer === 'redirect' ? parametersOf(decision, found!.wanted) : [],
    };
    return { explanation, link_id: found && !isMiss(found.target) ? found.target.id : null };
  }

  /** Returns `null` for a host that cannot be one of links. Finds nothing of other workspaces. */
  private async find(workspace: string, { host, pathname, search }: URL): Promise<Found | null> {
    const hostname = this.ctx.shortHosts.hostnameOf(host);
    if (hostname === undefined) return null;
    const wanted = { hostname, ...parseUrl(pathname + search) };
    const lookUp = { deadline: performance.now() + FIND_TIMEOUT_MS, asksOwner: true };
    const { host: found, target } = await findVisited(this.ctx, wanted, lookUp);
    const isOwn = (entry: { workspace: string }) => entry.workspace === workspace;
    return {
      host: found === null || (!isMiss(found) && isOwn(found)) ? found : 'absent',
      target: !isMiss(target) && isOwn(target) ? target : 'absent',
      wanted,
    };
  }

  private scanOf(decision: Decision, userAgent: string) {
    const reason = this.bots.reasonFor({ userAgent, isPrefetch: false });
    return {
      counted: decision.answer === 'redirect' && reason === null,
      is_bot: reason !== null,
      bot_pattern: reason === 'user_agent' ? botMatch(userAgent) : null,
    };
  }
}

function answerOf(ctx: FindContext, decision: Decision): { status: number; location: string | null } {
  switch (decision.answer) {
    case 'redirect':
      return { status: decision.target.status, location: decision.location };
    case 'root':
    case 'fallback':
    case 'expired':
      return { status: 302, location: decision.location };
    case 'refusal':
      return { status: refusalOf(decision.refusal).status, location: null };
    case 'miss':
      return answerOf(ctx, decideMiss(ctx, decision.host));
    case 'file':
      return { status: decision.file.body.length > 0 ? 200 : 204, location: null };
  }
}

/** The UTM parameters of the link count as the destination's here. */
function parametersOf(decision: Extract<Decision, { answer: 'redirect' }>, { query }: RedirectRequest) {
  const { location, queryStart, queryEnd } = decision.target.destination!;
  const own = new Set(parseQuery(location.slice(queryStart + 1, queryEnd)).map(({ raw }) => raw));
  const visitor = new Set(parseQuery(query).map(({ name }) => name));
  const isVisitors = ({ raw, name }: Parameter) => !own.has(raw) && visitor.has(name);
  return parseQuery(new URL(decision.location).search.slice(1)).map((parameter) => ({
    name: parameter.name,
    value: valueOf(parameter.raw),
    from: isVisitors(parameter) ? ('visitor' as const) : ('destination' as const),
  }));
}

const valueOf = (raw: string): string => new URLSearchParams(raw).values().next().value ?? '';
