import { describe, expect, test } from 'vitest'
import type { CertifyContext } from '../../src/engine/index.ts'
import { createInMemoryConcerns } from '../../src/evidence/certify/consult.ts'
import { codesOf, createWorld, mended } from './certify-world.ts'

describe('consultants', () => {
  const consultant = {
    name: 'security',
    prompt: 'Look for holes.',
    timeoutMs: 1000,
    agent: 'claude',
  }
  const answering = (...answers: readonly string[]) => {
    const asked: string[] = []
    const work: CertifyContext['work'] = async (_agents, role, task) => {
      asked.push(`${role} ${task.prompt}`)
      const text = answers[asked.length - 1] ?? ''
      if (text === 'late') throw new Error('it took too long')
      return { status: 'done', text, usage: { tokens: 0, costMicros: 0 }, turns: 1 }
    }
    return { asked, work }
  }
  const review = (verdict: string, text?: string): string =>
    JSON.stringify({ token: 'token', verdict, reasons: text === undefined ? [] : [{ text }] })
  const parts = { consultants: [consultant] }

  test('approve, and are listed', async () => {
    const { work, asked } = answering(review('approved'))
    const world = createWorld({ parts })
    expect(codesOf(await world.certify(mended, {}, { work }))).toBe('certified')
    expect(asked[0]).toMatch(/^consult:security Look for holes\./)
    expect(world.issued[0]?.consultations).toMatchObject([{ name: 'security', status: 'approved' }])
  })

  test('raise concerns, which are resolved later', async () => {
    const { work, asked } = answering(review('concerns-raised', 'no limit'), review('approved'))
    const world = createWorld({ parts })
    expect(codesOf(await world.certify(mended, {}, { work }))).toEqual(['concerns'])
    expect(codesOf(await world.certify(mended, {}, { work }))).toBe('certified')
    expect(asked[1]).toContain('> - no limit')
    expect(world.issued[0]?.consultations[0]?.status).toBe('resolved')
  })

  test.each(['late', 'Looks good to me, approved!', ''])(
    'become a question if they do not answer in time or in form: %j',
    async (answer) => {
      const { work } = answering(answer, answer)
      const world = createWorld({ parts })
      const found = await world.certify(mended, {}, { work })
      expect(found).toMatchObject({ type: 'asks', question: { default: 'reject' } })
      if (found.type !== 'asks') return
      const answers = [{ key: found.key, answer: 'approve', by: 'person' } as const]
      expect(codesOf(await world.certify(mended, { answers }, { work }))).toBe('certified')
      // A person decided; the consultant still has not answered.
      expect(world.issued[0]?.consultations).toMatchObject([
        { name: 'security', status: 'no-answer' },
      ])
    },
  )

  test('are asked about what they raised before a restart', async () => {
    const { work, asked } = answering(review('concerns-raised', 'no limit'), review('approved'))
    const raised = createInMemoryConcerns()
    const before = createWorld({ parts: { ...parts, raised } })
    expect(codesOf(await before.certify(mended, {}, { work }))).toEqual(['concerns'])
    const after = createWorld({ parts: { ...parts, raised } })
    expect(codesOf(await after.certify(mended, {}, { work }))).toBe('certified')
    expect(asked[1]).toContain('> - no limit')
    expect(after.issued[0]?.consultations[0]?.status).toBe('resolved')
  })

  test('reject', async () => {
    const { work } = answering(review('rejected', 'a back door'))
    expect(codesOf(await createWorld({ parts }).certify(mended, {}, { work }))).toEqual([
      'rejected',
    ])
  })
})
