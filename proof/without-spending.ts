/**
 * The result of a step without what the run had spent when a gate judged: a call that a kill interrupted is charged in
 * full (E2), so a run that was disturbed has spent more by then.
 */
export function withoutSpending(result: unknown): unknown {
  if (!hasFacts(result)) return result
  const { tokens: _tokens, costMicros: _costMicros, ...facts } = result.facts
  return { ...result, facts }
}

const hasFacts = (
  result: unknown,
): result is { readonly facts: Readonly<Record<string, unknown>> } =>
  typeof result === 'object' &&
  result !== null &&
  'facts' in result &&
  typeof result.facts === 'object' &&
  result.facts !== null
