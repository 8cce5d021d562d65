/**
 * What rules can refer to, and the rule that every policy starts with. Both are published in `schemas/`.
 *
 * The base rule permits everything, so the rules of a user can only forbid.
 */

import type { PolicyContext } from '../../loop/index.ts'

const facts: Readonly<Record<keyof PolicyContext, string>> = {
  iteration: 'The iteration of the request, from 1.',
  tokens: 'Tokens that the run has used, in and out.',
  inputTokens: 'Tokens that went to models.',
  outputTokens: 'Tokens that came from models.',
  costMicros: 'What the run has cost, in micro-dollars: 1000000 is one dollar.',
  elapsedMs: 'Working time of the run, in milliseconds. Waiting for a person does not count.',
  filesChanged: 'Files that differ from the base.',
  sealedTouched: 'Of these, files that are sealed.',
  verified: '1 if the current files are certified, otherwise 0.',
  level: '1 report, 2 assisted, 3 unattended.',
}

export const factNames: readonly string[] = Object.keys(facts)

const actions: Readonly<Record<string, { readonly resource: string; readonly about: string }>> = {
  iterate: { resource: 'Run', about: 'Before each iteration.' },
  callTool: { resource: 'Tool', about: 'Before each tool call.' },
  callToolUnattended: {
    resource: 'Tool',
    about: 'Also before each tool call, if no person watches the run.',
  },
  act: { resource: 'ActionKind', about: 'Before an action is performed.' },
}

export const actionNames: readonly string[] = Object.keys(actions)

export const entityTypes: readonly string[] = ['Loop', 'Agent', 'Run', 'Tool', 'ActionKind']

/** The Cedar schema: what rules can refer to. */
export const policySchema: string = [
  '// What a policy of Loopwright can refer to. See docs/policy.md.',
  '',
  '// A loop, by its name.',
  'entity Loop;',
  '// An agent, by its role in a loop, such as Agent::"maker".',
  'entity Agent in [Loop];',
  '// A run, by its id.',
  'entity Run;',
  '// A tool, by its name. Its risk is "read-only", "idempotent", "network" or "destructive".',
  'entity Tool = {',
  '  risk: String,',
  '};',
  '// A kind of action, such as ActionKind::"merge".',
  'entity ActionKind;',
  '',
  '// Whole numbers only.',
  'type Facts = {',
  ...Object.entries(facts).flatMap(([name, about]) => [`  // ${about}`, `  ${name}: Long,`]),
  '};',
  '',
  ...Object.entries(actions).flatMap(([name, { resource, about }]) => [
    `// ${about}`,
    `action ${name} appliesTo {`,
    '  principal: [Agent, Loop],',
    `  resource: ${resource},`,
    '  context: Facts,',
    '};',
  ]),
  '',
].join('\n')

export const baseRule = 'base'

/** The rule that every policy starts with. */
export const basePolicy: string = [
  '// Every policy of Loopwright starts with this rule, so other rules can only forbid.',
  `@id("${baseRule}")`,
  'permit (principal, action, resource);',
  '',
].join('\n')
