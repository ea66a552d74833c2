/** Names of secrets: the time that `===` takes reveals how much of a guess is right. */
const SECRET = /(secret|signature|csrf|password)$/i;

/** Rejects `===` and `!==` for what is named like a secret, except a comparison with a constant. */
const constantTime = {
  create: (context) => ({
    BinaryExpression(node) {
      const { operator, left, right } = node;
      if (!/^[!=]==?$/.test(operator) || isConstant(right)) return;
      if ([left, right].some((side) => SECRET.test(nameOf(side)))) {
        context.report({ node, message: 'Compare it in constant time (timingSafeEqual).' });
      }
    },
  }),
};

const isConstant = ({ type, name }) => type === 'Literal' || (type === 'Identifier' && name === 'undefined');

/** Returns the name of a variable, or of the property that is read. */
function nameOf(node) {
  if (node.type === 'MemberExpression' && !node.computed) return nameOf(node.property);
  return node.type === 'Identifier' ? node.name : '';
}

const LIMIT = /(Limiter|Budget|Semaphore|Pool|Permits|Turns)$/;

/** Rejects classes that are named like one more mechanism to limit requests. */
const limitClasses = {
  create: (context) => ({
    ClassDeclaration(node) {
      if (!LIMIT.test(node.id?.name ?? '')) return;
      context.report({ node, message: 'Limit by a class of kernel/limits (docs/decisions/0063-three-gates.md).' });
    },
  }),
};

/** The rules of this project, for oxlint. */
export default {
  meta: { name: 'waymark' },
  rules: { 'constant-time': constantTime, 'limit-classes': limitClasses },
};
