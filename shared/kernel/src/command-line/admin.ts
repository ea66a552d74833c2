#!/usr/bin/env node
import { bindCommands } from './command.js';
import { runCommandLine } from './run-command-line.js';
import { PARKED_COMMANDS } from './parked-commands.js';

// The operator's command line in the containers of services without commands of their own.
runCommandLine(null, bindCommands(PARKED_COMMANDS, process.env));
