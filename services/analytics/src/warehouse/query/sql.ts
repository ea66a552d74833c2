/** A value that is sent separately from the SQL text; `type` is ClickHouse's. */
export class Bound {
  constructor(
    readonly type: string,
    readonly value: unknown,
  ) {}
}

/** SQL text with bound values. The text comes only from templates in this service; input of clients is always bound. */
export class Sql {
  constructor(
    private readonly texts: readonly string[],
    private readonly parts: readonly (Sql | Bound)[],
  ) {}

  /** Returns the text with a placeholder for each bound value, and the values by placeholder name. */
  render(): { query: string; query_params: Record<string, unknown> } {
    const params: Record<string, unknown> = {};
    return { query: this.renderInto(params), query_params: params };
  }

  renderInto(params: Record<string, unknown>): string {
    return this.texts.reduce((text, next, index) => text + renderPart(this.parts[index - 1]!, params) + next);
  }
}

function renderPart(part: Sql | Bound, params: Record<string, unknown>): string {
  if (part instanceof Sql) return part.renderInto(params);
  const name = `p${Object.keys(params).length}`;
  params[name] = part.value;
  return `{${name}:${part.type}}`;
}

/** The end of the times that ClickHouse has. */
const TIME_MAX = Date.UTC(2299, 11, 31);

function timeText(value: Date): string {
  const time = new Date(Math.min(value.getTime(), TIME_MAX));
  return time.toISOString().replace('T', ' ').replace('Z', '');
}

export const bind = {
  text: (value: string) => new Bound('String', value),
  texts: (values: readonly string[]) => new Bound('Array(String)', values),
  count: (value: number) => new Bound('UInt32', value),
  /** Signed. */
  seconds: (value: number) => new Bound('Int32', value),
  date: (value: string) => new Bound('Date32', value),
  time: (value: Date) => new Bound("DateTime64(3, 'UTC')", timeText(value)),
};

/** A template that accepts only other templates and bound values; it throws on any other text. */
export function sql(texts: TemplateStringsArray, ...parts: (Sql | Bound)[]): Sql {
  for (const part of parts) {
    if (!(part instanceof Sql) && !(part instanceof Bound)) throw new TypeError('a value must be bound');
  }
  return new Sql(texts, parts);
}

export function joinSql(parts: readonly Sql[], separator: Sql): Sql {
  return parts.reduce((all, part) => sql`${all}${separator}${part}`);
}
