/** The commands. Each prints for people, or with --json for programs. */

import { Command, Option } from 'commander'
import { type CommandModule, commandGroups } from './command-groups.ts'
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

export interface ProgramOptions {
  /** What the user typed: if it names a command, only the module of that command is loaded. */
  readonly given?: readonly string[]
  /** Adds the commands of loop types, which help lists. */
  readonly addTypes?: AddLoopTypes
}

export async function createProgram({
  given = [],
  addTypes = addBuiltIn,
}: ProgramOptions = {}): Promise<Command> {
  const program = createRoot()
  rejectUnknownCommands(program)
  const wanted = commandIn(given)
  const isWanted = ({ names }: CommandModule): boolean => names.includes(wanted)
  const isKnown = Object.values(commandGroups).flat().some(isWanted)
  for (const [title, modules] of Object.entries(commandGroups)) {
    program.commandsGroup(title)
    const needed = isKnown ? modules.filter(isWanted) : modules
    for (const add of await Promise.all(needed.map(({ load }) => load()))) add(program)
  }
  addHelp(program, addTypes)
  for (const command of program.commands) setUsageErrorHint(command, command.name())
  return program
}

/** Empty where none is named, or where the options are wrong, which the program reports when it parses them. */
function commandIn(given: readonly string[]): string {
  const silent = { writeOut: () => undefined, writeErr: () => undefined }
  try {
    return (
      createRoot()
        .configureOutput(silent)
        .parseOptions([...given]).operands[0] ?? ''
    )
  } catch {
    return ''
  }
}

/** Without commands. */
const createRoot = (): Command =>
  new Command('loopctl')
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
