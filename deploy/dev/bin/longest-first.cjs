const { default: Sequencer } = require('@jest/test-sequencer');

/** Each takes minutes on two cores: begun last, they would leave a core idle at the end. */
const LONG = [
  'e2e/test/console/console.test',
  'e2e/test/api/',
  'gateway/test/authorization.test',
  'e2e/test/start',
  'resource/test/imports-workers',
  'resource/test/imports-limits',
  'e2e/test/model',
  'e2e/test/main-job',
  'e2e/test/processes',
  'webhook/test/fan-out',
  'images/test/images',
  'stack/test/broker-cluster',
  'audit/test/blocked',
  'analytics/test/figures.property',
  'kernel/test/pipelining',
];

/** Starts the longest test files first, on the first run of a clone too, when jest knows no durations yet. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const rankOf = ({ path }) => {
      const rank = LONG.findIndex((name) => path.includes(name));
      return rank < 0 ? LONG.length : rank;
    };
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
};
