import { startDomain } from '@waymark/domain/app';
import { domainConfig } from '@waymark/domain/config';
import { runProcess } from '@waymark/kernel/process/lifecycle';

const OPTIONS = {
  firstPausesMs: [200],
  pauseMs: 100,
  longPauseMs: 100,
  lostAfterMs: 300,
  pollMs: 20,
  leaseMs: 1000,
  lookUpTimeoutMs: 300,
};

// The domain service, which checks each domain ten times a second.
runProcess('domain', domainConfig, (parts) => startDomain(parts, OPTIONS));
