/** The commands. Each prints for people, or with --json for programs. */

import { Command, Option } from 'commander'
import { addAgents } from './commands/agents.ts'
import { addCalibrate } from './commands/calibrate.ts'
import { addCertificates } from './commands/certificates.ts'
import { addCertify } from './commands/certify.ts'
import { addCompletion } from './commands/completion.ts'
import { addConfig } from './commands/config.ts'
import { addDaemon } from './commands/daemon.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addInit } from './commands/init.ts'
import { addKeeping } from './commands/keep.ts'
import { addLooking } from './commands/look.ts'
import { addLoopFiles } from './commands/loop-files.ts'
import { addPreflight } from './commands/preflight.ts'
import { addPrompt } from './commands/prompt.ts'
import { addReplaying } from './commands/replay.ts'
import { addReviewing } from './commands/review.ts'
import { addRunning } from './commands/run.ts'
import { addShowing } from './commands/show.ts'
import { addTelling } from './commands/tell.ts'
import { addDiff, addMerge, addWorktreeRemoval, addWorktrees } from './commands/worktrees.ts'
import { suggestCommand } from './suggest-command.ts'
import { version } from './version.ts'

const examples = `
Examples:
  loopctl                               show the project here and what to do next
  loopctl init                          write a loop file for this project
  loopctl doctor                        which sandbox and which keys there are
  loopctl agents                        which agents there are, and what is missing
  loopctl run fix-tests.yaml            run a loop here, and watch it
  loopctl list                          the runs
  loopctl show brave-owls-jump 2        what an iteration was about
  loopctl diff brave-owls-jump          what a run changed
  loopctl verify brave-owls-jump        whether its certificate holds
  loopctl resume brave-owls-jump        go on after a pause or a crash
  loopctl answer brave-owls-jump tone friendly

  loopctl help exit-codes               what the exit codes mean; also: config, environment, daemon
`

export function createProgram(): Command {
  const program = new Command('loopctl')
    .description('Runs AI agents in loops that end when checks pass.')
    .version(version())
    .option('--json', 'print JSON, one object a line; errors too')
    .option('--state <folder>', 'state folder (default: $LOOPWRIGHT_STATE, then XDG)')
    .option(
      '--addr <address>',
      'daemon address (default: $LOOPD_ADDR, then that of the state folder)',
    )
    .option(
      '--token <token>',
      'daemon token (default: $LOOPD_TOKEN, then that of the state folder)',
    )
    .option('--no-daemon', 'run in this process, without the daemon')
    .option('--no-input', 'never prompt')
    .option('-q, --quiet', 'print only results and prompts')
    .addOption(
      new Option(
        '--color <when>',
        'colours (default: on a terminal, as NO_COLOR and FORCE_COLOR say)',
      ).choices(['auto', 'always', 'never']),
    )
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .showHelpAfterError('See: loopctl help')
    .exitOverride()
    .addHelpText('after', examples)
  refuseUnknown(program)
  program.commandsGroup('Run a loop:')
  addRunning(program)
  addReplaying(program)
  addDemo(program)
  program.commandsGroup('Loop files, tools and agents:')
  addInit(program)
  addLoopFiles(program)
  addPrompt(program)
  addPreflight(program)
  addCalibrate(program)
  addAgents(program)
  program.commandsGroup('Look at runs:')
  addLooking(program)
  addShowing(program)
  addDiff(program)
  program.commandsGroup('Certificates:')
  addCertify(program)
  addCertificates(program)
  program.commandsGroup('Talk to runs:')
  addTelling(program)
  program.commandsGroup('The work of runs:')
  addMerge(program)
  addReviewing(program)
  addWorktrees(program)
  addWorktreeRemoval(program)
  program.commandsGroup('The record:')
  addKeeping(program)
  program.commandsGroup('The daemon:')
  addDaemon(program)
  program.commandsGroup('More:')
  addConfig(program)
  addCompletion(program)
  addDoctor(program)
  addHelp(program)
  for (const command of program.commands) sayWhereHelpIs(command, command.name())
  return program
}

function refuseUnknown(program: Command): void {
  program.on('command:*', ([name = '']: readonly string[]) => {
    const meant = suggestCommand(
      name,
      program.commands.map((command) => command.name()),
    )
    const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
    program.error(`error: unknown command '${name}'${hint}`, { code: 'commander.unknownCommand' })
  })
}

/** After a wrong use: the help of that command, and how to find what it is about. */
function sayWhereHelpIs(command: Command, topic: string): void {
  const isOfRun = command.registeredArguments.some((argument) => argument.name() === 'run')
  const runs = isOfRun ? '. Which runs there are: loopctl list' : ''
  command.showHelpAfterError(`See: loopctl help ${topic}${runs}`)
  for (const inner of command.commands) sayWhereHelpIs(inner, topic)
}

/** `help <command>` as usual, and topics that are no commands. Where both are there, both are told. */
function addHelp(program: Command): void {
  program.helpCommand(false)
  program
    .command('help [command...]')
    .description('help for a command, or for exit-codes, config, environment, daemon')
    .action(async (names: readonly string[]) => {
      const { helpTopic } = await import('./help-topics.ts')
      const [name = ''] = names
      const topic = names.length === 1 ? helpTopic(name) : undefined
      const command = commandNamed(program, names)
      if (names.length === 0) program.outputHelp()
      else if (command !== undefined) command.outputHelp()
      if (topic !== undefined)
        process.stdout.write(`${command === undefined ? '' : '\n'}${topic}\n`)
      else if (command === undefined) {
        program.error(`error: unknown command '${names.join(' ')}'`, { exitCode: 64 })
      }
    })
}

const commandNamed = (program: Command, names: readonly string[]): Command | undefined =>
  names.reduce<Command | undefined>(
    (command, name) => command?.commands.find((known) => known.name() === name),
    program,
  )
