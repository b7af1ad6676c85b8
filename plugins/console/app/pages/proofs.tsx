/** Web proofs: make one, or see what one proves. */

import type { WebProof } from '@credence/client';
import { Tabs } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../parts/page.tsx';
import { CheckProof } from './proofs/check-proof.tsx';
import { MakeProof } from './proofs/make-proof.tsx';

export default function Proofs() {
  const [tab, setTab] = useState<string | null>('make');
  const [made, setMade] = useState<WebProof | null>(null);
  return (
    <Page title="Web proofs">
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List>
          <Tabs.Tab value="make">Make</Tabs.Tab>
          <Tabs.Tab value="check">Verify and compress</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="make" pt="md">
          <MakeProof
            onMade={(proof) => {
              setMade(proof);
              setTab('check');
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="check" pt="md">
          {/* A new one takes the place of a file that was opened before. */}
          <CheckProof key={made?.data} made={made} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
