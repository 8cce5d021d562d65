/** The commands. Each prints for people, or with --json for programs. */

import { Command, Option } from 'commander'
import { addActions } from './commands/actions.ts'
import { addAgents } from './commands/agents.ts'
import { addAnswerCommands } from './commands/answer.ts'
import { addCalibrate } from './commands/calibrate.ts'
import { addCertificates } from './commands/certificates.ts'
import { addCertify } from './commands/certify.ts'
import { addCompletion } from './commands/completion.ts'
import { addConfig } from './commands/config.ts'
import { addControlCommands } from './commands/control.ts'
import { addDaemon } from './commands/daemon.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addInit } from './commands/init.ts'
import { addInspectCommands } from './commands/inspect.ts'
import { addLimits } from './commands/limits.ts'
import { addLoopFiles } from './commands/loop-files.ts'
import { addPolicy } from './commands/policy.ts'
import { addPreflight } from './commands/preflight.ts'
import { addPrompt } from './commands/prompt.ts'
import { addReplay } from './commands/replay.ts'
import { addReview } from './commands/review.ts'
import { addRunCommands } from './commands/run.ts'
import { addShow } from './commands/show.ts'
import { addStateFolderCommands } from './commands/state-folder.ts'
import {
  addDiff,
  addLand,
  addMerge,
  addWorktreeRemoval,
  addWorktrees,
} from './commands/worktrees.ts'
import { describeWithExamples } from './help-examples.ts'
import { suggestCommand } from './suggest-command.ts'
import { version } from './version.ts'

const examples = `
Examples:
  loopctl                               show the project here and what to do next
  loopctl init                          write a loop file for this project
  loopctl doctor                        check the sandbox and the provider keys
  loopctl agents                        list the agents, and what is missing
  loopctl run fix-tests.yaml            run a loop here, and watch it
  loopctl list                          list the runs
  loopctl show brave-owls-jump 2        show what happened in an iteration
  loopctl diff brave-owls-jump          show what a run changed
  loopctl verify brave-owls-jump        verify its certificate
  loopctl resume brave-owls-jump        resume it after a pause or a crash
  loopctl answer brave-owls-jump tone friendly

  loopctl help exit-codes               explain the exit codes; also: config, environment, daemon
`

/** `addTypes` adds the commands of loop types, which help lists. */
export function createProgram(addTypes: AddLoopTypes = addBuiltIn): Command {
  const program = new Command('loopctl')
    .description('Runs AI agents in loops that end when checks pass.')
    .version(version())
    .option('--json', 'print JSON, one object a line; errors too')
    .option('--state <folder>', 'state folder (default: $LOOPWRIGHT_STATE, then XDG)')
    .option('--addr <address>', 'daemon address (default: $LOOPD_ADDR, then state folder)')
    .option('--token <token>', 'daemon token (default: $LOOPD_TOKEN, then state folder)')
    .option('--no-daemon', 'run in this process, without the daemon')
    .option('--no-input', 'never prompt')
    .option('-q, --quiet', 'print only results and prompts')
    .addOption(
      new Option(
        '--color <when>',
        'when to use color (default: on a terminal; see NO_COLOR)',
      ).choices(['auto', 'always', 'never']),
    )
    .configureHelp({ showGlobalOptions: true, commandDescription: describeWithExamples })
    .showSuggestionAfterError()
    .showHelpAfterError('See: loopctl help')
    .exitOverride()
    .addHelpText('after', examples)
  rejectUnknownCommands(program)
  program.commandsGroup('Run a loop:')
  addRunCommands(program)
  addReplay(program)
  addDemo(program)
  program.commandsGroup('Loop files, tools and agents:')
  addInit(program)
  addLoopFiles(program)
  addPrompt(program)
  addPreflight(program)
  addCalibrate(program)
  addAgents(program)
  program.commandsGroup('Inspect runs:')
  addInspectCommands(program)
  addShow(program)
  addDiff(program)
  program.commandsGroup('Certificates:')
  addCertify(program)
  addCertificates(program)
  program.commandsGroup('Policies:')
  addPolicy(program)
  program.commandsGroup('Control runs:')
  addControlCommands(program)
  addAnswerCommands(program)
  addLimits(program)
  program.commandsGroup('Changes made by runs:')
  addMerge(program)
  addLand(program)
  addReview(program)
  addActions(program)
  addWorktrees(program)
  addWorktreeRemoval(program)
  program.commandsGroup('State folder:')
  addStateFolderCommands(program)
  program.commandsGroup('Daemon:')
  addDaemon(program)
  program.commandsGroup('More:')
  addConfig(program)
  addCompletion(program)
  addDoctor(program)
  addHelp(program, addTypes)
  for (const command of program.commands) setUsageErrorHint(command, command.name())
  return program
}

/** `wanted`: the command that help was requested for. */
type AddLoopTypes = (program: Command, wanted: string | undefined) => Promise<void>

const addBuiltIn: AddLoopTypes = async (program, wanted) =>
  (await import('./commands/loop-types.ts')).addBuiltInLoopTypes(program, wanted)

function rejectUnknownCommands(program: Command): void {
  program.on('command:*', ([name = '']: readonly string[]) => {
    const meant = suggestCommand(
      name,
      program.commands.map((command) => command.name()),
    )
    const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
    program.error(`error: unknown command '${name}'${hint}`, { code: 'commander.unknownCommand' })
  })
}

/** After a usage error: points to the help of the command, and to the list of runs if it takes one. */
function setUsageErrorHint(command: Command, topic: string): void {
  const isOfRun = command.registeredArguments.some((argument) => argument.name() === 'run')
  const runs = isOfRun ? '. List the runs: loopctl list' : ''
  command.showHelpAfterError(`See: loopctl help ${topic}${runs}`)
  for (const inner of command.commands) setUsageErrorHint(inner, topic)
}

/** `help <command>`, and topics that are not commands. Prints both if a name is both. */
function addHelp(program: Command, addTypes: AddLoopTypes): void {
  program.helpCommand(false)
  program
    .command('help [command...]')
    .description('show help for a command or topic')
    .action(async (names: readonly string[]) => {
      await addTypes(program, names[0])
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
