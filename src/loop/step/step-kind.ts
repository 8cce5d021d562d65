/** The kinds of steps. */

export const stepKinds = [
  'step',
  'agent',
  'tool',
  'check',
  'ask',
  'gate',
  'action',
  'sleep',
  'artifact',
  'command',
  'certify',
] as const

/** Kinds other than a plain step are named `kind:name`. */
export type StepKind = (typeof stepKinds)[number]
