import { expect, test } from 'vitest'
import { findTestLocation } from './test-location.ts'

const own = { file: 'tests/test_timed.py', titles: ['TestTimed', 'test_sign[None]'] }
const body = { file: 'tests/test_signer.py', titles: ['TestSigner', 'test_sign'] }

test('uses the place that the runner reports for an inherited test', () => {
  expect(findTestLocation({ ...own, body }, ['src/signer.py'])).toEqual(body)
  expect(findTestLocation(own, [])).toEqual(own)
})

test('uses neither the work nor a test with another name', () => {
  expect(findTestLocation({ ...own, body }, ['tests/test_signer.py'])).toEqual(own)
  const other = { ...body, titles: ['TestSigner', 'test_other'] }
  expect(findTestLocation({ ...own, body: other }, [])).toEqual(own)
})
