/**
 * Shell completion: the scripts that shells load, and the answers to their queries.
 *
 * 1. Errors print nothing: a user who presses Tab does not want an error in the command line.
 * 2. Names of files and runs are untrusted. A name that a shell would expand is not offered, and the script
 *    for bash evaluates nothing.
 */

import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Argument, type Complete, type Option, RootCommand } from '@bomb.sh/tab'
import tab from '@bomb.sh/tab/commander'
import type { Host } from '../host/host.ts'
import { isEnd, questionName } from '../loop/index.ts'
import type { Run } from '../protocol/api/index.ts'
import { createProgram } from './program.ts'

/** For `source <(loopctl completion bash)`. */
export function printScript(shell: 'bash' | 'zsh' | 'fish'): void {
  if (shell === 'bash') process.stdout.write(bashScript)
  else new RootCommand().setup('loopctl', 'loopctl', shell)
}

/** Replaces the script of the library, which evaluates the typed line and needs bash-completion. */
const bashScript = `# bash completion for loopctl
_loopctl() {
  local line value current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    if [[ $line != :* && $value == "$current"* ]]; then COMPREPLY+=("$value"); fi
  done < <(loopctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _loopctl loopctl
`

/** Answers `loopctl complete -- words…`: the last word is the one that is being typed. */
export async function complete(words: readonly string[]): Promise<void> {
  try {
    const program = await createProgram()
    const root = tab(program, { completionCommandName: 'completion ' })
    root.commands.delete('complete')
    root.commands.delete('completion ')
    const known = await find(words)
    for (const command of [root, ...root.commands.values()]) {
      for (const argument of command.arguments.values()) fillArgument(argument, known)
      for (const option of command.options.values()) fillOption(option, known)
    }
    root.parse([...words])
  } catch {
    process.stdout.write(':4\n')
  }
}

type Found = readonly (readonly [value: string, description: string])[]

interface Known {
  readonly runs: Found
  /** Questions of the run that the command line names. */
  readonly questions: Found
  readonly answers: Found
  /** Loop files. */
  readonly loops: Found
  /** The names of loops that ran, or remember something. */
  readonly loopNames: Found
  /** What loops remember. */
  readonly facts: Found
  readonly schedules: Found
  /** The loops of the catalog. */
  readonly catalog: Found
}

/** Loaded in advance, since the completion library is synchronous. */
async function find(words: readonly string[]): Promise<Known> {
  const nothing: Known = {
    runs: [],
    questions: [],
    answers: [],
    loops: loopsFor(words.at(-1) ?? ''),
    loopNames: [],
    facts: [],
    schedules: [],
    catalog: words.includes('catalog') ? await catalogNames() : [],
  }
  const host = await openRecord(words)
  if (host === undefined) return nothing
  try {
    if (words.includes('schedule')) {
      const found = await host.journal.schedules.list()
      return { ...nothing, schedules: found.map(({ name }) => [name, 'schedule']) }
    }
    const rows = await host.journal.listRuns({ limit: runsMax })
    const named = rows.find(({ name, id }) =>
      words.slice(0, -1).some((word) => word === name || word === id),
    )
    const open =
      named === undefined || !words.includes('answer')
        ? []
        : (await host.inspect(named.id)).questions
    const [one] = open.filter(({ id }) => words.includes(questionName(id)) || words.includes(id))
    const facts = words.includes('memory')
      ? await host.journal.memory.list({ limit: factsMax })
      : []
    const names = [...rows, ...facts].map(({ loop }) => loop)
    return {
      ...nothing,
      loopNames: [...new Set(names)].map((name) => [name, 'loop']),
      facts: facts.map(({ id, loop, text }) => [id, `${loop}: ${firstLine(text)}`]),
      runs: rows.filter(wantedBy(words)).flatMap((row) => choices(row, words.at(-1) ?? '')),
      questions: open.map(({ id, question }) => [questionName(id), firstLine(question.text)]),
      answers: (one?.question.options ?? []).map((option) => [option, '']),
    }
  } finally {
    await host.close()
  }
}

async function catalogNames(): Promise<Found> {
  const { catalogLoops } = await import('../launch/catalog/catalog-loops.ts')
  return catalogLoops.map(({ name, cadence }) => [name, cadence])
}

const runsMax = 200
const factsMax = 200

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').slice(0, 80)

/** By name, or by id if the user started to type one. */
function choices({ id, name, loop, status }: Run, typed: string): Found {
  const what = `${loop}, ${status}`
  return typed.length > 1 && id.startsWith(typed) ? [[id, `${name}, ${what}`]] : [[name, what]]
}

const forLiving = ['answer', 'pause', 'resume', 'stop', 'cancel', 'limits', 'tell', 'watch']
const forEnded = ['retry', 'scrap', 'merge', 'land', 'create-pr', 'rm']

function wantedBy(words: readonly string[]): (row: Run) => boolean {
  if (words.some((word) => forLiving.includes(word))) return ({ status }) => !isEnd(status)
  if (words.some((word) => forEnded.includes(word))) return ({ status }) => isEnd(status)
  return () => true
}

/** Creates no state folder. */
async function openRecord(words: readonly string[]): Promise<Host | undefined> {
  try {
    const { stateFolder } = await import('../system/state-folder.ts')
    const at = words.indexOf('--state')
    const folder = (at === -1 ? undefined : words[at + 1]) ?? stateFolder()
    const { existsSync } = await import('node:fs')
    if (!existsSync(join(folder, 'journal.db'))) return undefined
    return await (await import('../host/open-host.ts')).openHost({ folder })
  } catch {
    return undefined
  }
}

const loopsMax = 200

/** Loop files in the folder being typed, and one level below. */
function loopsFor(typed: string): Found {
  const folder = typed.includes('/') ? dirname(`${typed}x`) : '.'
  const here = listFiles(folder)
  const inner = listFolders(folder).flatMap((name) => listFiles(join(folder, name)))
  return [...here, ...inner].slice(0, loopsMax).map((file) => [file, 'loop file'])
}

const listFiles = (folder: string): readonly string[] =>
  entries(folder)
    .filter((entry) => entry.isFile() && /^(?!\.).+\.(?:ya?ml|loop\.m?ts)$/.test(entry.name))
    .map(({ name }) => join(folder, name))

const listFolders = (folder: string): readonly string[] =>
  entries(folder)
    .filter((entry) => entry.isDirectory() && !/^(?:\..*|node_modules)$/.test(entry.name))
    .map(({ name }) => name)

function entries(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder)
  } catch {
    return []
  }
}

const readEntries = (folder: string) => readdirSync(folder, { withFileTypes: true })

const statuses: Found = [
  'pending',
  'running',
  'waiting',
  'paused',
  'suspended',
  'completed',
  'failed',
  'exhausted',
  'stuck',
  'stopped',
  'cancelled',
].map((status) => [status, ''])

function fillArgument(argument: Argument, known: Known): void {
  const found = argumentValues(argument.name, known)
  if (found === undefined || argument.handler !== undefined) return
  argument.handler = (say) => sayAll(found, say)
}

/** Text that a shell does not expand. */
const plain = /^[\p{L}\p{N}_@%+=:,./-]+$/u

function sayAll(found: Found, say: Complete): void {
  for (const [value, description] of found) {
    if (plain.test(value)) say(value, description.replaceAll(/[\p{Cc}\p{Cf}$`\\]/gu, ' '))
  }
}

function argumentValues(
  name: string,
  { runs, questions, answers, loops, loopNames, facts, schedules, catalog }: Known,
): Found | undefined {
  switch (name) {
    case 'run':
    case 'certificate':
      return runs
    case 'question':
      return questions
    case 'answer':
      return answers
    case 'file':
      return loops
    case 'loop-name':
      return loopNames
    case 'fact':
    case 'facts':
      return facts
    case 'schedule':
      return schedules
    case 'chore':
      return catalog
    default:
      return undefined
  }
}

function fillOption(option: Option, known: Known): void {
  const found = optionValues(option.value, known)
  if (found === undefined || option.isBoolean === true) return
  option.handler = (say) => sayAll(found, say)
}

function optionValues(name: string, { loops, loopNames }: Known): Found | undefined {
  switch (name) {
    case 'status':
      return statuses
    case 'file':
    case 'loop':
      return loops
    case 'all-of':
      return loopNames
    default:
      return undefined
  }
}
