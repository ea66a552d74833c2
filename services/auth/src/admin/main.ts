import { runCommandLine } from '@waymark/kernel/process/command-line';
import { COMMANDS } from './commands.js';
import { adminTargets } from './context.js';

runCommandLine(COMMANDS, adminTargets(process.env));
