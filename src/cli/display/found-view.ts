/** A short description of the project and the agents here, for `init` and `loopctl` without a command. */

import { homedir } from 'node:os'
import { relative } from 'node:path'
import type { AgentCandidate } from '../../launch/agents/find-agents.ts'
import type { InspectedFolder } from '../../launch/init/inspect-folder.ts'
import type { Terminal } from '../terminal.ts'
import { visible } from './render.ts'
import { wrapped } from './wrap.ts'

const stackNames: Readonly<Record<InspectedFolder['stacks'][number]['name'], string>> = {
  node: 'Node',
  python: 'Python',
  rust: 'Rust',
  go: 'Go',
  maven: 'Maven',
  gradle: 'Gradle',
}

export type Row = readonly [label: string, text: string]

const labelWidth = 9

export interface Found {
  readonly project: Omit<InspectedFolder, 'checks'>
  readonly agents: readonly AgentCandidate[]
}

export const describeFound = ({ project, agents }: Found, terminal: Terminal): string[] =>
  renderRows(
    [
      ['folder', describeFolder(project)],
      ['project', describeStacks(project)],
      ['agents', describeAgents(agents)],
    ],
    terminal,
  )

export const renderRows = (rows: readonly Row[], { style, live, width }: Terminal): string[] =>
  rows.flatMap(([label, text]) => {
    const room = live ? Math.max(30, width() - labelWidth) : Number.POSITIVE_INFINITY
    const [first = '', ...more] = wrapped(visible(text), room)
    return [
      `${style.dim(label.padEnd(labelWidth))}${first}`,
      ...more.map((line) => `${' '.repeat(labelWidth)}${line}`),
    ]
  })

export function describeFolder({ folder, repository }: Found['project']): string {
  const shown = shortPath(folder)
  if (repository === undefined) return `${shown}, not in a git repository`
  if (repository === folder) return `${shown}, a git repository`
  return `${shown}, in the git repository ${shortPath(repository)}`
}

function shortPath(path: string): string {
  const inner = relative(homedir(), path)
  return inner === '' || inner.startsWith('..') ? path : `~/${inner}`
}

export function describeStacks({ stacks }: Found['project']): string {
  if (stacks.length === 0) return 'no known stack'
  return stacks.map(({ name, manifest }) => `${stackNames[name]} (${manifest})`).join(', ')
}

/** Those that are installed, or whose key is set. */
export function describeAgents(agents: readonly AgentCandidate[]): string {
  const here = agents.filter(
    ({ kind, state }) =>
      (kind === 'program' && state !== 'missing') || (kind === 'model' && state === 'ready'),
  )
  const words = here.map(({ name, state, keyVariable }) =>
    state === 'ready' ? name : `${name} (${keyVariable ?? 'its key'} is not set)`,
  )
  return words.length === 0
    ? 'none installed; the built-in agent repair fixes small bugs in JavaScript'
    : words.join(', ')
}
