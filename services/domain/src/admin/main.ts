#!/usr/bin/env node
import { PARKED_COMMANDS } from '@waymark/kernel/command-line/parked-commands';
import { bindCommands } from '@waymark/kernel/command-line/command';
import { runCommandLine } from '@waymark/kernel/command-line/run-command-line';
import { COMMANDS } from './commands.js';

runCommandLine('domain', bindCommands({ ...COMMANDS, ...PARKED_COMMANDS }, process.env));
