/**
 * The modes of a tuning loop: who it is, what it aims at, and what an iteration may do. They differ in what is allowed, not only in
 * what a prompt says.
 *
 *                 places that an option changes   a change that breaks cases          success
 *   precision     one                             is dropped by the policy            a gain without a regression
 *   exploration   any                             is kept if more gets better         a net gain
 *   convergence   any                             is dropped by the policy            no failure in the target set
 *   custom        blended from the three by the words of the user; precision where they say nothing
 */

export const tuneModes = ['precision', 'exploration', 'convergence', 'custom'] as const
export type TuneMode = (typeof tuneModes)[number]
export type NamedMode = Exclude<TuneMode, 'custom'>

export interface ModeRules {
  readonly role: string
  readonly goal: string
  readonly mindset: string
  /** How many places of the artifacts one option may change. */
  readonly variables: 'one' | 'many'
  /** Of a kept change that broke cases, where a policy decides. */
  readonly regressions: 'refused' | 'tolerated'
  readonly success: 'gain' | 'zero-failures'
}

export const namedModes: Readonly<Record<NamedMode, ModeRules>> = {
  precision: {
    role: 'Precision engineer',
    goal: 'A targeted improvement without a regression.',
    mindset: 'One variable at a time: a result that cannot be explained teaches nothing.',
    variables: 'one',
    regressions: 'refused',
    success: 'gain',
  },
  exploration: {
    role: 'Explorer',
    goal: 'A net gain over the whole loop.',
    mindset: 'Bold structural changes; a case that gets worse is data, not a reason to stop.',
    variables: 'many',
    regressions: 'tolerated',
    success: 'gain',
  },
  convergence: {
    role: 'Quality gate',
    goal: 'No failure is left in the target set.',
    mindset: 'Close every remaining failure without touching what passes.',
    variables: 'many',
    regressions: 'refused',
    success: 'zero-failures',
  },
}

export const rulesOf = (mode: TuneMode, framing = ''): ModeRules =>
  mode === 'custom' ? parseFraming(framing) : namedModes[mode]

const words: Readonly<Record<NamedMode, RegExp>> = {
  precision: /\b(?:one|single|isolate\w*|surgical\w*|careful\w*|precis\w*|small|minimal\w*)\b/gi,
  exploration:
    /\b(?:bold\w*|explor\w*|rewrit\w*|restructur\w*|radical\w*|experiment\w*|tolerat\w*|breakthrough\w*)\b/gi,
  convergence:
    /\b(?:clos\w*|converg\w*|remaining|harden\w*|zero|every|all cases|edge cases?|finish\w*)\b/gi,
}

/** Each rule is that of the mode whose words the user used most; role, goal and mindset may be given as `role: …`. */
export function parseFraming(framing: string): ModeRules {
  const counts = (Object.keys(words) as NamedMode[]).map(
    (mode) => [mode, framing.match(words[mode])?.length ?? 0] as const,
  )
  const used = counts.filter(([, count]) => count > 0).toSorted((a, b) => b[1] - a[1])
  const [base = 'precision'] = used.map(([mode]) => mode)
  const isUsed = (mode: NamedMode): boolean => used.some(([name]) => name === mode)
  const given = (name: string): string | undefined =>
    new RegExp(`^\\s*${name}\\s*:\\s*(.+?)\\s*$`, 'im').exec(framing)?.[1]
  const rules = namedModes[base]
  return {
    role:
      given('role') ??
      (framing.trim() === '' ? rules.role : `${rules.role}, as framed by the user`),
    goal: given('goal') ?? (framing.trim() || rules.goal),
    mindset: given('mindset') ?? rules.mindset,
    variables: isUsed('precision') || base === 'precision' ? 'one' : 'many',
    regressions: isUsed('exploration') ? 'tolerated' : 'refused',
    success: isUsed('convergence') ? 'zero-failures' : 'gain',
  }
}

/** The cases that have to pass for the loop to be done. */
export const targetCases = (
  { success }: ModeRules,
  { suite, focus }: { readonly suite: readonly string[]; readonly focus: readonly string[] },
): readonly string[] => (success === 'zero-failures' && focus.length > 0 ? focus : suite)
