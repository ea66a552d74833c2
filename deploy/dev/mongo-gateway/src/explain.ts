import { serialize } from 'bson';
import { BsonFields } from './bson-fields.js';
import { runStatement, type Engine, type Request } from './engine.js';
import { CommandError } from './errors.js';
import { EXPLAIN } from './statements.js';

/** A node of PostgreSQL's plan. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/**
 * Runs a query, and answers with two numbers of MongoDB's `executionStats`: the documents that it returned, and those
 * that it examined for them.
 */
export async function explain(engine: Engine, request: Request): Promise<Buffer> {
  const spec = request.command.fields.raw('explain');
  const name = spec && new BsonFields(spec).first?.name;
  const statement = name && EXPLAIN.get(name);
  if (!statement) {
    throw new CommandError({ code: 115, codeName: 'CommandNotSupported' }, 'only find and aggregate can be explained');
  }
  const [json] = await runStatement(engine, request, {
    statement,
    values: [Buffer.from(request.command.database), spec],
  });
  const [{ Plan: plan }] = JSON.parse(json!.toString()) as [{ Plan: PlanNode }];
  const executionStats = { nReturned: plan['Actual Rows'], totalDocsExamined: examinedBy(plan) };
  return Buffer.from(serialize({ executionStats, ok: 1 }));
}

function examinedBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, each) => sum + examinedBy(each), 0);
  if (node['Relation Name'] === undefined) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}
