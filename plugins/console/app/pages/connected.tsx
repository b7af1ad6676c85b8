/** Where the login of a platform leads back to: connects the account, and shows its brand. */
import { Loader, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useAction } from '../parts/action.tsx';
import { useBrandName } from '../parts/brands.tsx';
import { Failure } from '../parts/failure.tsx';
import { type Landing, landing } from '../parts/landing.ts';
import { navigate } from '../parts/location.ts';
import { Page } from '../parts/page.tsx';

export default function Connected() {
  const landed = landing();
  const brandName = useBrandName();
  const above =
    landed === null
      ? { to: '/brands', label: 'Brands' }
      : { to: `/brands/${landed.brandId}`, label: brandName(landed.brandId) };
  return (
    <Page title="Connect an account" above={above}>
      {landed === null ? (
        <Text>This tab did not begin to connect an account. Begin on the page of the brand.</Text>
      ) : landed.code === null ? (
        <Text role="alert">
          The account is not connected: its owner did not agree. Begin again on the page of the brand.
        </Text>
      ) : (
        <Complete landing={landed} code={landed.code} />
      )}
    </Page>
  );
}

function Complete({ landing, code }: { readonly landing: Landing; readonly code: string }) {
  const { brandId, state } = landing;
  const { mutate, error } = useAction((client) => client.brandConnections.complete({ brandId, state, code }), {
    done: ({ data }) => `@${data.handle} on ${data.platform} is connected.`,
    onDone: () => navigate(`/brands/${brandId}`, { replace: true }),
    inForm: true,
  });
  useEffect(() => mutate(), [mutate]);
  return error === null ? <Loader role="status" aria-label="Connecting" /> : <Failure error={error} />;
}
