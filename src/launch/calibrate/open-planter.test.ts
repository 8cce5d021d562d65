import { expect, test } from 'vitest'
import { openPlanter } from './open-planter.ts'

const text = 'export function first(list) {\n  return list.length > 0 ? list[0] : null\n}\n'

test('JavaScript and TypeScript use the operators of the repair agent, and stay parsable', async () => {
  const planter = await openPlanter()
  for (const path of ['src/a.js', 'src/a.ts']) {
    const defects = planter.defectsIn({ path, text })
    expect(new Set(defects.map(({ operator }) => operator)).size).toBeGreaterThan(3)
    expect(defects.map(({ description }) => description)).toContain(
      'return list.length > 0 ? list[0] : null → return list.length >= 0 ? list[0] : null',
    )
    expect(defects.every(({ file }) => file === path)).toBe(true)
    expect(defects.some((defect) => planter.isReadable({ path, text: defect.text }))).toBe(true)
  }
  expect(planter.isReadable({ path: 'src/a.js', text: 'function (' })).toBe(false)
})

test('other languages use plain text operators, and other files none', async () => {
  const planter = await openPlanter()
  const python = planter.defectsIn({ path: 'a.py', text: 'def f(a):\n    return a > 0\n' })
  expect(python.map(({ operator }) => operator)).toContain('comparison')
  expect(planter.defectsIn({ path: 'a.md', text })).toEqual([])
})
