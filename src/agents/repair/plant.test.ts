import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../testing/seeded-random.ts'
import { applyEdit, insertedText } from './edit.ts'
import { operators } from './operators/index.ts'
import { listDefects, plant, plantingOperators, unplant } from './plant.ts'
import { proposeEdits } from './propose-edits.ts'
import { parseSource } from './source-file.ts'

/** A little of everything. */
const source = `'use strict'
const names = ['a', 'b']
function first(list, from = 0) {
  if (!list || list.length === 0) return null
  for (let i = from; i < list.length; i++) {
    const item = list[i]
    if (item.skip === true) continue
    if (/^x+[a-z]*$/i.test(item.name)) break
    total += item.price * 2 - 1
    log(item, total)
    done = item.isLast ? Math.max(total, 1) : -total
  }
  return names.indexOf(list.at(from), { strict: false }) >= 0 && total > 10
}
`

const operatorNamed = (name: string): (typeof operators)[number] => {
  const found = operators.find((one) => one.name === name)
  if (found === undefined) throw new Error(`There is no operator ${name}.`)
  return found
}

describe('planting', () => {
  test.each(plantingOperators.map(({ name }) => name))(
    'every defect of %s can be undone',
    (name) => {
      const faults = listDefects(operatorNamed(name), 'a.js', source)
      expect(faults.length).toBeGreaterThan(0)
      for (const fault of faults) {
        expect(fault.text).not.toBe(source)
        expect(unplant(fault)).toBe(source)
      }
    },
  )

  test('the inverse is among the edits that the agent tries, for all that lose no information', () => {
    const missing: string[] = []
    for (const operator of plantingOperators.filter((one) => !one.losesInformation)) {
      const faults = listDefects(operator, 'a.js', source)
      const step = Math.ceil(faults.length / 15)
      for (const fault of faults.filter((_, index) => index % step === 0)) {
        const file = parseSource('a.js', fault.text)
        if (file === undefined) continue
        const back = proposeEdits(file).some((edit) => applyEdit(fault.text, edit) === source)
        if (!back)
          missing.push(
            `${operator.name}: ${insertedText(source, fault.edit)} for ${source.slice(fault.edit.start, fault.edit.end)}`,
          )
      }
    }
    expect(missing).toEqual([])
  })

  test('suspected statements are swapped even if the list starts with one that is not suspected', () => {
    const file = parseSource('a.js', "'use strict'\nconst a = 1\nlet b = a\nb = 2\n")
    const isRelevant = (offset: number): boolean => offset > 20
    const edits = file === undefined ? [] : proposeEdits(file, { isRelevant })
    const swapped = edits.filter(({ operator }) => operator === 'swapped-statements')
    expect(swapped).toHaveLength(1)
    expect(edits.every(({ start }) => isRelevant(start))).toBe(true)
  })

  test('the seed determines the defect', () => {
    const files = [{ path: 'a.js', text: source }]
    const draw = (seed: number): string | undefined => {
      const { next } = seededRandom(seed)
      return plant({ files, random: next })?.text
    }
    expect(draw(7)).toBe(draw(7))
    expect(new Set(Array.from({ length: 20 }, (_, seed) => draw(seed))).size).toBeGreaterThan(10)
  })

  test('a file that is not JavaScript has no defects to plant', () => {
    expect(plant({ files: [{ path: 'a.js', text: 'if (' }], random: () => 0 })).toBeUndefined()
  })
})
