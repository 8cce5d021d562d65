import { expect, test } from 'vitest'
import { placeOf } from './test-place.ts'

const own = { file: 'tests/test_timed.py', titles: ['TestTimed', 'test_sign[None]'] }
const body = { file: 'tests/test_signer.py', titles: ['TestSigner', 'test_sign'] }

test('a test is where its runner says that it was inherited from', () => {
  expect(placeOf({ ...own, body }, ['src/signer.py'])).toEqual(body)
  expect(placeOf(own, [])).toEqual(own)
})

test('a test is not looked for in the work, nor under another name', () => {
  expect(placeOf({ ...own, body }, ['tests/test_signer.py'])).toEqual(own)
  const other = { ...body, titles: ['TestSigner', 'test_other'] }
  expect(placeOf({ ...own, body: other }, [])).toEqual(own)
})
