/** Follows a reference within the OpenAPI document. */
export const resolve = (document: any, value: any): any =>
  value?.$ref
    ? value.$ref
        .slice('#/'.length)
        .split('/')
        .reduce((at: any, name: string) => at[name], document)
    : value;
