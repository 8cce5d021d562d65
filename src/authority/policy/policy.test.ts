import { describe, expect, test } from 'vitest'
import type { PolicyContext, PolicyRequest } from '../../loop/index.ts'
import { loadCedar } from './cedar.ts'
import { createPolicy, type PolicySource } from './create-policy.ts'
import { PolicyError } from './policy-error.ts'
import { basePolicy, policySchema } from './policy-language.ts'
import { readRules } from './read-rules.ts'

const context: PolicyContext = {
  iteration: 1,
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  costMicros: 0,
  elapsedMs: 0,
  filesChanged: 0,
  sealedTouched: 0,
  verified: 0,
  level: 2,
}

const iterate = (changes: Partial<PolicyContext> = {}): PolicyRequest => ({
  action: 'iterate',
  loop: 'fix',
  run: 'one',
  context: { ...context, ...changes },
})

const callTool = (
  name: string,
  risk: string,
  action: 'callTool' | 'callToolUnattended' = 'callTool',
): PolicyRequest => ({ action, loop: 'fix', agent: 'maker', tool: { name, risk }, context })

const enforced = (text: string, file = 'limits.cedar'): PolicySource => ({
  file,
  text,
  mode: 'enforce',
})

const limit50 = `@id("limit") @reason("at most 50 iterations")
forbid (principal, action == Action::"iterate", resource) when { context.iteration > 50 };`

test('the published schema and base rule are valid', async () => {
  const cedar = await loadCedar()
  expect(cedar.checkParseSchema(policySchema)).toEqual({ type: 'success' })
  expect(readRules(cedar, { file: 'base.cedar', text: basePolicy }).rules).toHaveLength(1)
})

describe('a policy', () => {
  test('allows what no rule forbids, by the base rule', async () => {
    const { judge } = await createPolicy([enforced(limit50)])
    expect(judge(iterate({ iteration: 50 }))).toEqual({ decision: 'allow', rules: ['base'] })
  })

  test('denies by a rule, with its id and its reason', async () => {
    const { judge } = await createPolicy([enforced(limit50)])
    expect(judge(iterate({ iteration: 51 }))).toEqual({
      decision: 'deny',
      rules: ['limit'],
      reason: 'at most 50 iterations',
    })
  })

  test('names a rule without an id by its file and line', async () => {
    const text = '\nforbid (principal, action, resource);'
    const { judge } = await createPolicy([enforced(text, '/some/folder/all.cedar')])
    expect(judge(iterate())).toEqual({
      decision: 'deny',
      rules: ['all.cedar:2'],
      reason: 'forbidden by "all.cedar:2"',
    })
  })

  test('sees each number, however the rule refers to it', async () => {
    const whole: PolicyRequest['context'] = { ...context, level: 3 }
    for (const name of Object.keys(context)) {
      const uses = [
        `context.${name} == 7`,
        `context["${name}"] > 6`,
        `context has ${name} && context.${name} > 6`,
        `(if context.level == 3 then context else context).${name} == 7`,
        `{ "a": context }.a.${name} == 7`,
        `[context.${name}].contains(7)`,
      ]
      for (const use of uses) {
        const { judge } = await createPolicy([
          enforced(`forbid (principal, action, resource) when { ${use} };`),
        ])
        const decide = (value: number): string =>
          judge({ ...iterate(), context: { ...whole, [name]: value } }).decision
        expect([use, decide(7), decide(5)]).toEqual([use, 'deny', 'allow'])
      }
    }
  })

  test('cannot be widened by a permit', async () => {
    const permit = '@id("all") permit (principal, action, resource);'
    const { judge } = await createPolicy([enforced(limit50), enforced(permit, 'permit.cedar')])
    expect(judge(iterate({ iteration: 51 })).decision).toBe('deny')
    expect(judge(iterate()).rules).toEqual(['all', 'base'])
  })

  test('denies if a rule cannot be evaluated', async () => {
    const overflow = `@id("big") forbid (principal, action, resource)
      when { context.tokens * 9223372036854775807 > 5 };`
    const { judge } = await createPolicy([enforced(overflow)])
    const ruling = judge(iterate({ tokens: 2 }))
    expect(ruling).toMatchObject({ decision: 'deny', rules: ['big'] })
    expect(ruling.errors?.[0]).toMatch(/^big: .*overflow/)
    expect(judge(iterate({ tokens: 0 })).decision).toBe('allow')
  })

  test('knows agents, loops, runs, the risk of tools and kinds of actions', async () => {
    const { judge } = await createPolicy([
      enforced(`
        @id("agent") forbid (principal == Agent::"checker", action, resource);
        @id("loop") forbid (principal in Loop::"other", action, resource);
        @id("run") forbid (principal, action, resource == Run::"two");
        @id("risk") forbid (principal, action == Action::"callTool", resource)
          when { resource.risk == "destructive" };
        @id("merge") forbid (principal, action == Action::"act", resource == ActionKind::"merge")
          unless { context.verified == 1 };`),
    ])
    const rulesFor = (request: PolicyRequest): readonly string[] => judge(request).rules
    expect(rulesFor({ ...callTool('read', 'read-only'), agent: 'checker' })).toEqual(['agent'])
    expect(rulesFor({ ...callTool('read', 'read-only'), loop: 'other' })).toEqual(['loop'])
    expect(rulesFor({ ...iterate(), loop: 'other' })).toEqual(['loop'])
    expect(rulesFor({ ...iterate(), run: 'two' })).toEqual(['run'])
    expect(rulesFor(callTool('run', 'destructive'))).toEqual(['risk'])
    expect(rulesFor(callTool('read', 'read-only'))).toEqual(['base'])
    const merge: PolicyRequest = { action: 'act', loop: 'fix', actionKind: 'merge', context }
    expect(rulesFor(merge)).toEqual(['merge'])
    expect(rulesFor({ ...merge, context: { ...context, verified: 1 } })).toEqual(['base'])
  })

  test('judges a call of an unattended run as a call, too', async () => {
    const { judge } = await createPolicy([
      enforced(`
        @id("never") forbid (principal, action == Action::"callTool", resource == Tool::"push");
        @id("alone") forbid (principal, action == Action::"callToolUnattended", resource == Tool::"run");`),
    ])
    expect(judge(callTool('push', 'network', 'callToolUnattended')).rules).toEqual(['never'])
    expect(judge(callTool('run', 'destructive', 'callToolUnattended')).rules).toEqual(['alone'])
    expect(judge(callTool('run', 'destructive')).decision).toBe('allow')
  })

  test('asks about a call of an unattended run as both actions, whichever of them a rule names', async () => {
    const { judge } = await createPolicy([
      enforced(`@id("alone")
        forbid (principal, action in [Action::"callTool", Action::"callToolUnattended"], resource)
        unless { action == Action::"callToolUnattended" };`),
    ])
    expect(judge(callTool('run', 'read-only', 'callToolUnattended')).rules).toEqual(['alone'])
    const { judge: judgeOther } = await createPolicy([
      enforced(
        '@id("x") forbid (principal, action, resource) unless { action == Action::"callToolUnattended" };',
      ),
    ])
    expect(judgeOther(callTool('run', 'read-only', 'callToolUnattended')).rules).toEqual(['x'])
  })

  test('keeps the rules of two texts with the same file name', async () => {
    const { judge } = await createPolicy([enforced(limit50), enforced('')])
    expect(judge(iterate({ iteration: 51 })).rules).toEqual(['limit'])
  })

  test('rounds numbers that Cedar could not read', async () => {
    const { judge } = await createPolicy([enforced(limit50)])
    const odd = { tokens: 1.5, costMicros: Number.POSITIVE_INFINITY, elapsedMs: -3 }
    expect(judge(iterate(odd)).decision).toBe('allow')
  })
})

describe('monitored rules', () => {
  const monitored: PolicySource = { ...enforced(limit50), mode: 'monitor' }

  test('are recorded, and allow', async () => {
    const { judge, inEffect } = await createPolicy([monitored])
    expect(judge(iterate({ iteration: 51 }))).toMatchObject({
      decision: 'deny',
      rules: ['limit'],
      isMonitored: true,
    })
    expect(inEffect.mode).toBe('monitor')
  })

  test('do not relax an enforced file', async () => {
    const strict = enforced(
      '@id("strict") forbid (principal, action, resource) when { context.iteration > 10 };',
      'strict.cedar',
    )
    const { judge, inEffect } = await createPolicy([monitored, strict])
    expect(judge(iterate({ iteration: 51 }))).toEqual({
      decision: 'deny',
      rules: ['strict'],
      reason: 'forbidden by "strict"',
    })
    expect(inEffect.mode).toBe('enforce')
  })

  test('are enforced if the same file is also enforced', async () => {
    for (const sources of [
      [monitored, enforced(limit50)],
      [enforced(limit50), monitored],
    ]) {
      const { judge } = await createPolicy(sources)
      expect(judge(iterate({ iteration: 51 })).isMonitored).toBeUndefined()
    }
  })
})

test('the digest changes with every rule and mode', async () => {
  const digests = await Promise.all(
    [
      [enforced(limit50)],
      [enforced(`${limit50}\n`)],
      [{ ...enforced(limit50), mode: 'monitor' as const }],
    ].map(async (sources) => (await createPolicy(sources)).inEffect.digest),
  )
  expect(new Set(digests).size).toBe(3)
})

test('a hundred policies at once keep their own rules', async () => {
  const policies = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const text = `@id("limit-${index}") forbid (principal, action, resource)
        when { context.iteration > ${index} };`
      return createPolicy([enforced(text)])
    }),
  )
  for (const turn of [0, 1]) {
    for (const [index, { judge }] of policies.entries()) {
      expect(judge(iterate({ iteration: index + turn })).rules).toEqual(
        turn === 0 ? ['base'] : [`limit-${index}`],
      )
    }
  }
})

describe('a broken policy file', () => {
  const problemsOf = async (text: string): Promise<readonly string[]> => {
    const error = await createPolicy([enforced(text)]).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(PolicyError)
    return error instanceof PolicyError ? error.message.split('\n').slice(1) : []
  }

  test.each([
    [
      'forbid (principal, action, resource) when { context.tokns > 5 };',
      'limits.cedar:1:45: attribute `tokns` in context',
      '(did you mean `tokens`?)',
    ],
    [
      '// ä\nforbid (principal, action == Action::"iterat", resource);',
      'limits.cedar:2:',
      '(did you mean `Action::"iterate"`?)',
    ],
    [
      '\n\nforbid (principal, action, resource) wehn { true };',
      'limits.cedar:3:38: invalid policy condition: wehn',
      '(did you mean `when`?)',
    ],
    [
      'forbid (principal is Agnt, action, resource);',
      'limits.cedar:1:22: unrecognized entity type `Agnt`',
      '(did you mean `Agent`?)',
    ],
    ['forbid (principal, action, resource', 'limits.cedar:1:', 'unexpected end of input'],
    [
      'forbid (principal, action, resource) when { context.iteration < "x" };',
      'limits.cedar:1:',
      'unexpected type',
    ],
    [
      '@id("a") forbid (principal, action, resource);\n@id("a") forbid (principal, action, resource);',
      'limits.cedar:2:1: the id "a" is used in line 1',
      'rename it',
    ],
    [
      '@ide("a") forbid (principal, action, resource);',
      'limits.cedar:1:1: unknown annotation @ide. Did you mean "id"?',
      '@reason',
    ],
    ['@id("base") forbid (principal, action, resource);', 'cannot have the id "base"', 'another'],
    ['forbid (principal == ?principal, action, resource);', 'templates are not supported', ''],
  ])('is refused with its line and a suggestion: %s', async (text, place, suggestion) => {
    const [first = ''] = await problemsOf(text)
    expect(first).toContain(place)
    expect(first).toContain(suggestion)
  })

  test('that is hostile is refused, and the next one still works', async () => {
    const deep = `forbid (principal, action, resource) when { ${'('.repeat(20_000)}true${')'.repeat(20_000)} };`
    await expect(createPolicy([enforced(deep)])).rejects.toThrow(/nested deeper than 30 levels/)
    const { judge } = await createPolicy([enforced(limit50)])
    expect(judge(iterate({ iteration: 51 })).rules).toEqual(['limit'])
  })
})

test('a rule that permits is reported as one without effect', async () => {
  const text = 'permit (principal, action, resource) when { context.iteration < 5 };'
  const { warnings } = readRules(await loadCedar(), { file: 'a.cedar', text })
  expect(warnings[0]?.reason).toMatch(/^"a.cedar:1" has no effect/)
})
