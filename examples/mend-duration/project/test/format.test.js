import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { format, parse } from '../src/index.js'

describe('format', () => {
  it('writes two parts', () => assert.equal(format(5_400_000), '1h 30m'))
  it('writes one exact part', () => assert.equal(format(3_600_000), '1h'))
  it('writes nothing as nothing', () => assert.equal(format(0), '0ms'))
  it('writes what is before now', () => assert.equal(format(-90_000), '-1m 30s'))
  it('leaves out what is small', () => assert.equal(format(90_061_001), '1d 1h'))
  it('takes more parts', () => assert.equal(format(93_784_005, { parts: 5 }), '1d 2h 3m 4s 5ms'))
  it('writes a single day', () => assert.equal(format(86_400_000), '1d'))
  it('is what parse reads', () => {
    for (const text of ['1d', '2h 5m', '59s', '999ms', '1m'])
      assert.equal(format(parse(text)), text)
  })
})
