import { parser } from '@prometheus-io/lezer-promql';

/** The content of a PromQL expression, by Prometheus' own grammar. */
export interface Expression {
  isValid: boolean;
  metrics: string[];
  labels: string[];
}

export function readExpression(text: string): Expression {
  const expression: Expression = { isValid: true, metrics: [], labels: [] };
  parser.parse(text).iterate({
    enter: (node) => {
      const part = text.slice(node.from, node.to);
      if (node.type.isError) expression.isValid = false;
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') expression.metrics.push(part);
      if (node.name === 'LabelName') expression.labels.push(part);
    },
  });
  return expression;
}
