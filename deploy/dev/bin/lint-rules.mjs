import { USED_SETTINGS } from './used-settings.mjs';

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

/** Rejects settings that no deployment sets, and no guide says how to use. */
const usedSettings = {
  create: (context) => ({
    Property({ parent, key }) {
      const name = nameOf(key);
      if (parent.type !== 'ObjectExpression' || !/^[A-Z][A-Z0-9_]*$/.test(name) || USED_SETTINGS.has(name)) return;
      context.report({ node: key, message: 'No deployment sets it, and no guide uses it: make it a constant.' });
    },
  }),
};

/** The rules of this project, for oxlint. */
export default {
  meta: { name: 'waymark' },
  rules: { 'constant-time': constantTime, 'limit-classes': limitClasses, 'used-settings': usedSettings },
};
