import type { oas32 } from 'zod-openapi';

type Parameter = oas32.ParameterObject | oas32.ReferenceObject;

/**
 * Moves parameters that several operations have into the components. One is named after its place and itself; a
 * different one of the same name after the first operation that has it.
 */
export function shareParameters(document: oas32.OpenAPIObject): oas32.OpenAPIObject {
  const operations = [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})].flatMap(
    (methods) => Object.values(methods) as oas32.OperationObject[],
  );
  const all = operations.flatMap(({ parameters = [] }) => parameters as Parameter[]);
  const uses = new Map<string, number>();
  for (const text of all.map(textOf)) uses.set(text, (uses.get(text) ?? 0) + 1);
  const shared = { ...document.components?.parameters };
  const names = new Map<string, string>();
  for (const operation of operations) {
    const share = (parameter: Parameter): Parameter => {
      const text = textOf(parameter);
      if ('$ref' in parameter || uses.get(text) === 1) return parameter;
      const plain = `${parameter.in}_${parameter.name}`;
      const name = names.get(text) ?? (shared[plain] ? `${operation.operationId}_${parameter.name}` : plain);
      names.set(text, name);
      shared[name] = parameter;
      return { $ref: `#/components/parameters/${name}` };
    };
    operation.parameters = operation.parameters?.map(share);
  }
  return { ...document, components: { ...document.components, parameters: shared } };
}

const textOf = (parameter: Parameter): string => JSON.stringify(parameter);
