import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { share } from '../../test/share.ts'
import { isLoopError } from '../loop/index.ts'
import { createTemplate } from './template.ts'

const words = [
  '{{ }} {% %} {%- -%} | : , . [ ] ( .. ) " \' \\ 😀 - = == < and contains 0 -1 1.5',
  'if endif else elsif unless for in endfor assign capture endcapture case when endcase raw endraw',
  'comment endcomment liquid cycle # break increment word input goal list nothing forloop empty nil',
  'true __proto__ append split map where json slice sort group_by times default',
].flatMap((line) => line.split(' '))

const values = { input: { goal: 'g', list: [1, { name: 'n' }] }, word: 'w', nothing: null }

test('whatever its pieces, a template ends in text or in an error with a position', async () => {
  const piece = fc.constantFrom(...words, ' ', '\n', '\u0000')
  const templates = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(' '))
  await fc.assert(
    fc.asyncProperty(templates, async (text) => {
      expect(await outcomeOf(text)).toMatch(/^(text: |error: t:\d+:\d+: \S)/)
    }),
    { numRuns: share(3000, 600) },
  )
})

async function outcomeOf(text: string): Promise<string> {
  try {
    return `text: ${(await createTemplate(text, { file: 't' })).render(values)}`
  } catch (error) {
    if (isLoopError(error, 'bad-template')) return `error: ${error.message}`
    throw error
  }
}
