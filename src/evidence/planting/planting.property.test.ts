import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readGo, readRust } from './braces/read-braces.ts'
import { compareTestFiles } from './compare-test-files.ts'
import { plantFailures } from './plant-failures.ts'
import { readPython } from './python/read-python.ts'
import { parseHere } from './script/parse-here.ts'
import { readScriptWith } from './script/read-script.ts'
import type { ReadSource } from './test-source.ts'

const languages: readonly (readonly [file: string, read: ReadSource, pieces: string])[] = [
  [
    'a.ts',
    readScriptWith(parseHere),
    "test( it.each([ 'a' , ( ) => { } expect( 1 ).toBe( ` ${ / return ; if async 'x' + \n // /*",
  ],
  [
    'a.py',
    readPython,
    'def test_a ( ) : \n " """ \' assert == 1 return class TestB @x [ ] { } # \\ with pytest.raises( in',
  ],
  [
    'a_test.go',
    readGo,
    'func TestA( t *testing.T ) { } t.Run( "a" , func( \n return if != 3 ` \' // /* want: {',
  ],
  [
    'a.rs',
    readRust,
    '#[test] fn a ( ) { } mod tests assert_eq!( 1 , 2 ) ; return r#" " \' // /* -> Ok(()) \n |',
  ],
]

describe('any text', () => {
  for (const [file, read, pieces] of languages)
    it(`is planted, compared and never throws: ${file}`, async () => {
      const piece = fc.constantFrom(...pieces.split(' '), ' ', '\n    ', 'a')
      const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(' '))
      const kind = fc.constantFrom('before', 'after', 'value' as const)
      const property = fc.asyncProperty(text, text, kind, async (one, two, wanted) => {
        const tests = ['a', 'test_a', 'TestA'].map((id) => ({ id, titles: [id] }))
        const planted = await plantFailures(
          { file, text: one, tests, kind: wanted, marker: 'm' },
          read,
        )
        expect(planted.planted.length + planted.not.length).toBe(tests.length)
        expect(planted.planted.length === 0 || (await read(file, planted.text)) !== undefined).toBe(
          true,
        )
        await compareTestFiles(file, one, two, read)
      })
      await fc.assert(property, { numRuns: 100 })
    })
})
