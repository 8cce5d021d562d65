/** The text of a new loop file: what a newcomer needs, with a line of explanation for each part. */

import { stringify } from 'yaml'
import { type Json, LoopError, nearestName } from '../../loop/index.ts'
import { agentNames } from '../../protocol/index.ts'

export interface LoopDraft {
  /** As a loop file has it. */
  readonly agent: Json
  /** Commands by name. */
  readonly checks: Readonly<Record<string, string>>
  readonly task: string
  /** Absent: those of a loop file that has none. */
  readonly limits?: DraftLimits
}

export interface DraftLimits {
  readonly iterations: number
  /** In dollars. */
  readonly cost: number
  readonly time: string
}

export interface InitText {
  /** From the loop file: where the schema is for editors. */
  readonly schema: string
  /** From the folder of the loop file. */
  readonly workspace: string
  /** How it is run from the folder. */
  readonly run: string
}

export const initLimits: DraftLimits = { iterations: 10, cost: 5, time: '1h' }

export const defaultTask = 'Make the checks pass. Correct the code, not the tests.'

export function initText(draft: LoopDraft, { schema, workspace, run }: InitText): string {
  return `# yaml-language-server: $schema=${schema}
# Run it:  ${run}      Look before you do:  ${run} --dry-run

# The folder to work in, from this file. In a git repository each run gets a worktree and a branch.
${yaml({ workspace })}
# The task. For one run:  ${run} --input goal='Fix the date parser.'
${yaml({ input: { goal: draft.task } })}
# What the agent is told in each iteration. {{ progress }} holds what was tried and what the checks said.
${prompt('goal')}
# Who works: ${agentNames.join(', ')}, { model: provider/model }, { command: [program, args] }.
# What is installed here:  loopctl agents
${yaml({ agent: draft.agent })}
# Loopwright runs these itself. The run is complete when all pass in a clean checkout.
${yaml({ checks: draft.checks })}
# What one run may use, at most. cost is in dollars.
${yaml({ limits: draft.limits ?? initLimits })}`
}

/** For a run without a file: the same, for programs. */
export function inlineText(name: string, draft: LoopDraft): string {
  const { agent, checks } = draft
  return `# Written by: loopctl run, from its options.
${yaml({ name, input: { task: draft.task } })}${prompt('task')}${yaml({ agent, checks })}`
}

const prompt = (input: string): string => `prompt: |
  {{ input.${input} }}

  {{ progress }}
`

const yaml = (value: object): string => stringify(value, { lineWidth: 0 })

const programWord = /^[\w@%+=:,./-]+$/

/** What `--agent` takes, as a loop file has it. */
export function parseAgent(written: string): Json {
  const text = written.trim()
  if (agentNames.some((name) => name === text)) return text
  const words = text.split(/\s+/)
  if (words.length > 1) {
    const isPlain = words.every((word) => programWord.test(word))
    return { command: isPlain ? words : ['/bin/sh', '-c', text] }
  }
  if (/^[a-z0-9][a-z0-9-]*\/\S+$/.test(text)) return { model: text }
  const near = nearestName(text, agentNames)
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  throw new LoopError(
    'bad-request',
    `"${text}" is not an agent.${meant} Use ${agentNames.join(', ')}, provider/model, or a command with its arguments in quotes.`,
  )
}
