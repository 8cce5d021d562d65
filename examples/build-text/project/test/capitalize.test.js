import assert from 'node:assert/strict'
import test from 'node:test'
import { capitalize } from '../src/index.js'

test('the first letter becomes a capital', () => {
  assert.equal(capitalize('a title'), 'A title')
  assert.equal(capitalize(''), '')
})
