import random, pytest
from tests.usecases.test_booking_in_any_order import *
from tests.usecases.bank_world import *
CASES=[World(200+i, 40, days=6, references=[0,0.3,0.6,1][i%4], batches=[0.1,0.3][i%2], twins=[0.2,0.6][(i//2)%2], shifted=[0,0.3][(i//4)%2]) for i in range(48)]
@pytest.mark.parametrize("world", CASES, ids=lambda w:str(w.seed))
def test_stress(database, world):
    files=[*downloads(world), table(world,0,world.days-1), table(world,1,3)]
    wanted=None
    shop=None
    for seed in range(4):
        shop=new_shop(database, world)
        mixed=[*files,*random.Random(seed).sample(files,3)]
        random.Random(seed).shuffle(mixed)
        bring(database,shop,mixed)
        extra=sums_of(database,shop)-sums(world)
        if extra:
            (day,amt),n=next(iter(extra.items()))
            with database.transaction(ShopId(shop.id)) as tx:
                rows=tx.rows("select p.id,p.booking_date::text,amount_minor,p.source,p.format,entry_group,bank_reference,entry_reference,i.file_name,s.source,st.format,s.statement_id from postings p join posting_sightings s on s.shop_id=p.shop_id and s.posting_id=p.id join imports i on i.shop_id=p.shop_id and i.id=s.import_id left join statements st on st.shop_id=p.shop_id and st.id=s.statement_id where p.shop_id=$1 and (amount_minor=$2 or entry_group in (select entry_group from postings where shop_id=$1 and entry_group<>'' group by 1 having sum(amount_minor)=$2)) order by 1,9",shop.id,amt)
            for r in rows: print('ROW',r)
            print('ROW', [(l.day,l.announced,len(l.parts),l.parts[0].bank_reference) for l in world.lines if l.amount==amt])
        assert sums_of(database,shop)==sums(world), (seed, sums_of(database,shop)-sums(world), sums(world)-sums_of(database,shop))
        found=books(database,shop)
        wanted=wanted or found
        a,b=found[0]-wanted[0],wanted[0]-found[0]
        assert not a and not b, (a,b)
        assert found==wanted
