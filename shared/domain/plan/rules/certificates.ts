import type { UpgradeFacts } from '../../../schemas/plan.ts';
import { blockFinding, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { isAlternativeName, unnamedProblem } from '../certificate-names.ts';
import { crossesVersion } from '../version.ts';

const RULE_ID = '6.4.0-certificates';

type Certificate = NonNullable<UpgradeFacts['certificates']>[number];

/** Upgrade rule for 6.4.0 (reference 9.3): newer programs check only the Subject Alternative Names of certificates. */
export const certificatesRule: UpgradeRule = {
  id: RULE_ID,
  title: 'Each certificate has its CommonName among its Subject Alternative Names',
  applies: (path) => crossesVersion(path, [6, 4, 0]),
  evaluate({ certificates: certificateList }) {
    if (certificateList === undefined) {
      return warnFinding(
        ['no certificate was given'],
        ['give each one that backends and agents use: --certificate FILE; without TLS nothing needs to be done'],
      );
    }
    const problems = certificateList.flatMap((certificate) => problemOf(certificate) ?? []);
    if (problems.length === 0) return passFinding(`${String(certificateList.length)} certificates, all valid`);
    return blockFinding(problems, ['have them issued again with the CommonName as a Subject Alternative Name']);
  },
  steps: (facts, path) =>
    certificatesRule.evaluate(facts, path).verdict === 'pass'
      ? []
      : [
          {
            id: 'certificates',
            phase: 'prepare',
            kind: 'manual',
            rule: RULE_ID,
            title: 'Replace certificates without Subject Alternative Names',
            details: ['Connections fail after the upgrade where the CommonName is not among them.'],
            commands: ['openssl x509 -noout -subject -ext subjectAltName -in FILE'],
            check: `rule:${RULE_ID}`,
          },
        ],
};

function problemOf({ file, common_name: name, names, problem }: Certificate): string | undefined {
  if (problem !== null) return `${file} cannot be read: ${problem}`;
  if (name === null || isAlternativeName(name, names)) return undefined;
  return `${file}: ${unnamedProblem(name, names)}`;
}
