/** The keys of a loop file that belong to `round`. */

import { z } from 'zod'
import { defined, type Risk } from '../../loop/index.ts'
import {
  actionSchema,
  type DeliverySink,
  deliverSchema,
  duration,
  type GatherSource,
  gatherSchema,
  innerPath,
  integer,
  key,
  keys,
  list,
  matching,
  type PromptSection,
  type ProposalSettings,
  promptSchema,
  toolName,
} from '../../protocol/index.ts'

export interface RoundKeys {
  readonly intent: string
  readonly prompt: readonly PromptSection[] | undefined
  readonly checkerPrompt: readonly PromptSection[] | undefined
  readonly propose: ProposalSettings
  readonly gather: readonly GatherSource[]
  readonly deliver: readonly DeliverySink[]
  readonly memory: false | MemoryKeys
  readonly proposals: number
  readonly turns: number
  readonly permissions: PermissionKeys
  readonly goal: string | undefined
}

/** How much a round recalls, and how long its facts are kept. */
export interface MemoryKeys {
  readonly recall: number
  /** Absent: facts do not expire. */
  readonly expiresMs?: number
}

/** `plan`: no destructive tools. `default` and `auto-approve`: what the level allows. */
export type PermissionMode = 'default' | 'plan' | 'auto-approve'

/** Which tools the maker may call: denied ones first, then allowed ones, then by the mode. Level 1 takes precedence. */
export interface PermissionKeys {
  readonly mode: PermissionMode
  readonly deny: readonly string[]
  readonly allow: readonly string[]
}

export const recallDefault = 5
export const proposalsDefault = 3
export const turnsDefault = 12

const bareKinds = ['report', 'comment'] as const

const bareProposal: z.ZodType<ProposalSettings> = z
  .enum(bareKinds)
  .transform((kind) => (kind === 'report' ? { kind } : { kind, remote: 'origin' }))

/** A kind that the schema of actions does not know is refused by it, with the kinds that it knows. */
const proposeSchema: z.ZodType<ProposalSettings> = z.union([bareProposal, actionSchema])

const memoryKeys = keys({
  recall: key(
    integer(1, 50).prefault(recallDefault),
    'How many facts of earlier rounds the maker is given.',
    recallDefault,
  ),
  expires: key(
    duration(3650).exactOptional(),
    'How long a fact is remembered. Default: until it is forgotten, or too many newer ones exist.',
    '30d',
  ),
}).transform(({ recall, expires }): MemoryKeys => ({ recall, ...defined({ expiresMs: expires }) }))

const memorySchema = z.union([
  z.boolean().transform((isOn): RoundKeys['memory'] => isOn && { recall: recallDefault }),
  memoryKeys,
])

const modes = ['default', 'plan', 'auto-approve'] as const

const toolNames = (what: string) => list(toolName(), what, { max: 200 }).prefault([])

const permissionsSchema = z.union([
  z.enum(modes).transform((mode): PermissionKeys => ({ mode, deny: [], allow: [] })),
  keys({
    mode: key(
      z.enum(modes).prefault('default'),
      'default, auto-approve: all tools that the level allows, without asking. plan: no destructive ones.',
    ),
    deny: key(toolNames('a list of tool names'), 'Tools that the maker may not call.', ['run']),
    allow: key(
      toolNames('a list of tool names'),
      'Tools that the maker may call whatever their risk. The list of denied tools and level 1 take precedence.',
      ['github__create_issue'],
    ),
  }),
])

export const roundKeys: { readonly [Key in keyof RoundKeys]: z.ZodType<RoundKeys[Key]> } = {
  intent: key(
    matching(/^[^\p{Cc}]{1,500}$/u, 'one sentence, on one line'),
    'What the loop is for, in one sentence. Prompts and reports contain it.',
    'Keep the open pull requests moving.',
  ),
  prompt: key(
    promptSchema.clone().optional(),
    'What the maker has to do: a Liquid template, a template file, or a list of sections. Default: the intent.',
    { file: 'maker.md' },
  ),
  checkerPrompt: key(
    promptSchema.clone().optional(),
    'What the checker has to verify, besides the built-in instructions.',
    { file: 'checker.md' },
  ),
  propose: key(
    proposeSchema.prefault('report'),
    'The action that a round proposes once its work is verified: report (nothing but the report), comment (on an issue or pull request that was gathered), the name of an action, or a table with one action, as under then.',
    'report',
    'open-pr',
    { 'open-pr': { draft: true } },
  ),
  gather: key(
    gatherSchema().prefault([]),
    'Sources that are read before the maker works, and that its prompt contains as data.',
    ['git-log', 'issues', { 'ci-runs': { logs: 3 } }],
  ),
  deliver: key(
    deliverSchema().prefault([]),
    'Where the report goes. Rounds that simply proceeded are not delivered.',
    ['stdout', { file: 'triage' }],
  ),
  memory: key(
    memorySchema.prefault(true),
    'What rounds of this loop remember: settings, or false for nothing.',
    { recall: 5, expires: '30d' },
    false,
  ),
  proposals: key(
    integer(1, 50).prefault(proposalsDefault),
    'How many proposals of this loop may wait for a person before its rounds stop making new ones.',
    proposalsDefault,
  ),
  turns: key(
    integer(1, 1000).prefault(turnsDefault),
    'The most turns of the maker, and of the checker, if their settings name no number.',
    turnsDefault,
  ),
  permissions: key(
    permissionsSchema.prefault('default'),
    'Which of our tools the maker may call: default, plan or auto-approve, or a table with lists of tools.',
    'plan',
    { mode: 'plan', deny: ['run'], allow: ['files__read_file'] },
  ),
  goal: key(
    innerPath('the path of a goal file, from the root of the workspace').optional(),
    'A goal file (JSON with the schema harness.goal.v1). The maker gets it as data.',
    'goal.json',
  ),
}

/** At level 1: what the level allows takes precedence over every list. */
export const reportRisks: readonly Risk[] = ['read-only', 'network']
