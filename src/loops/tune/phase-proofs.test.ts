import { expect, test } from 'vitest'
import { requireProof } from './phase-proofs.ts'

const whole = {
  testFixture: 'a',
  pipelineResult: 'passed',
  manifestSaved: 'm',
  calibrationLogged: 'yes',
}

test('a phase can be left only with every field of its proof', () => {
  expect(requireProof('calibration', whole)).toEqual(whole)
  for (const field of Object.keys(whole)) {
    for (const blank of ['', ' \n', undefined]) {
      expect(() => requireProof('calibration', { ...whole, [field]: blank })).toThrow(
        `Phase 3 (calibration) cannot be left: its proof has no ${field}.`,
      )
    }
  }
})
